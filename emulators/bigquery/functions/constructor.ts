/** Functions named after types, and the truncations that take several types: all by way of the functions beside this file. */
import { define, native, total } from './definition.ts';

export const CONSTRUCTOR_FUNCTIONS = [
  define(
    'DATE',
    native('INT64, INT64, INT64 -> DATE', 'js_date_from_parts_3($*)'),
    total('DATE -> DATE', '$1'),
    native('TIMESTAMP, STRING? -> DATE', 'js_cast_timestamp_to_date_$#($*)'),
    total('DATETIME -> DATE', 'CAST($1 AS DATE)'),
  ),
  define(
    'DATETIME',
    native('INT64, INT64, INT64, INT64, INT64, INT64 -> DATETIME', 'js_datetime_from_parts_6($*)'),
    total('DATE, TIME -> DATETIME', 'js_datetime_from_date_and_time_2($*)'),
    total('DATETIME -> DATETIME', '$1'),
    total('DATE -> DATETIME', 'CAST($1 AS TIMESTAMP)'),
    native('TIMESTAMP, STRING? -> DATETIME', 'js_cast_timestamp_to_datetime_$#($*)'),
  ),
  define(
    'TIME',
    native('INT64, INT64, INT64 -> TIME', 'js_time_from_parts_3($*)'),
    total('TIME -> TIME', '$1'),
    native('TIMESTAMP, STRING? -> TIME', 'js_cast_timestamp_to_time_$#($*)'),
    total('DATETIME -> TIME', 'CAST($1 AS TIME)'),
  ),
  define(
    'TIMESTAMP',
    native('STRING, STRING? -> TIMESTAMP', 'js_cast_string_to_timestamp_$#($*)'),
    total('TIMESTAMP -> TIMESTAMP', '$1'),
    native('DATE, STRING? -> TIMESTAMP', 'js_cast_date_to_timestamp_$#($*)'),
    native('DATETIME, STRING? -> TIMESTAMP', 'js_cast_datetime_to_timestamp_$#($*)'),
  ),
  define(
    'STRING',
    native('JSON -> STRING', 'js_json_to_string_1($1)'),
    native('TIMESTAMP, STRING? -> STRING', 'js_cast_timestamp_to_string_$#($*)'),
    total('DATE -> STRING', 'js_cast_date_to_string_1($1)'),
    total('TIME -> STRING', 'js_cast_time_to_string_1($1)'),
    total('DATETIME -> STRING', 'js_cast_datetime_to_string_1($1)'),
  ),
  define(
    'DATE_TRUNC',
    native('DATE, part<date> -> DATE', 'js_date_trunc_date_2($*)'),
    native('DATETIME, part<datetime> -> DATETIME', 'js_datetime_trunc_2($*)'),
    native('TIMESTAMP, part<timestamp>, STRING? -> TIMESTAMP', 'js_timestamp_trunc_$#($*)'),
  ),
];
