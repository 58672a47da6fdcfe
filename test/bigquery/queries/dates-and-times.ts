/** Queries and their results, as GoogleSQL's reference implementation (ZetaSQL's evaluator) gives them. */
import type { QueryCase } from './query-case.ts';

export const CASES: readonly QueryCase[] = [
  {
    sql: `select date(2016,12,25), date(datetime '2016-12-25 23:59:59'), date(timestamp '2016-12-25 05:30:00+07','America/Los_Angeles'), date('2016-12-25')`,
    types: ['DATE', 'DATE', 'DATE', 'DATE'],
    rows: [['2016-12-25', '2016-12-25', '2016-12-24', '2016-12-25']],
  },
  {
    sql: `select date_add(date '2008-12-25', interval 5 day), date_sub(date '2008-12-25', interval 5 day), date_add('2020-02-29', interval 1 year), date_add('2020-01-31', interval 1 quarter), date_add('2020-01-31', interval 2 week), date_sub(date '2020-03-31', interval 1 month)`,
    types: ['DATE', 'DATE', 'DATE', 'DATE', 'DATE', 'DATE'],
    rows: [['2008-12-30', '2008-12-20', '2021-02-28', '2020-04-30', '2020-02-14', '2020-02-29']],
  },
  {
    sql: `select date_diff(date '2010-07-07', date '2008-12-25', day), date_diff('2017-10-15','2017-10-14',day), date_diff('2017-10-15','2017-10-14',week), date_diff('2017-12-30','2014-12-30',year), date_diff('2017-12-30','2014-12-30',isoyear), date_diff('2017-12-18','2017-12-17',week), date_diff('2017-12-18','2017-12-17',week(monday)), date_diff('2017-12-18','2017-12-17',isoweek), date_diff('2020-12-31','2020-01-01', month), date_diff('2020-12-31','2020-01-01', quarter)`,
    types: ['INT64', 'INT64', 'INT64', 'INT64', 'INT64', 'INT64', 'INT64', 'INT64', 'INT64', 'INT64'],
    rows: [['559', '1', '1', '3', '2', '0', '1', '1', '11', '3']],
  },
  {
    sql: `select date_from_unix_date(14238), unix_date(date '2008-12-25'), date_trunc(date '2008-12-25', month), date_trunc(date '2017-11-05', week(monday)), date_trunc(date '2015-06-15', isoyear), date_trunc('2015-06-15', quarter), date_trunc('2015-06-15', year), date_trunc('2015-06-15',week), date_trunc('2015-06-15',isoweek), date_trunc('2015-06-15',day)`,
    types: ['DATE', 'INT64', 'DATE', 'DATE', 'DATE', 'DATE', 'DATE', 'DATE', 'DATE', 'DATE'],
    rows: [
      [
        '2008-12-25',
        '14238',
        '2008-12-01',
        '2017-10-30',
        '2014-12-29',
        '2015-04-01',
        '2015-01-01',
        '2015-06-14',
        '2015-06-15',
        '2015-06-15',
      ],
    ],
  },
  {
    sql: `select extract(day from date '2013-12-25'), extract(isoyear from d), extract(isoweek from d), extract(year from d), extract(week from d), extract(week(sunday) from d), extract(week(monday) from d), extract(quarter from d), extract(dayofyear from d) from unnest([date '2015-12-31', date '2016-01-01', date '2017-11-05', date '2017-11-06']) d order by d`,
    types: ['INT64', 'INT64', 'INT64', 'INT64', 'INT64', 'INT64', 'INT64', 'INT64', 'INT64'],
    rows: [
      ['25', '2015', '53', '2015', '52', '52', '52', '4', '365'],
      ['25', '2015', '53', '2016', '0', '0', '0', '1', '1'],
      ['25', '2017', '44', '2017', '45', '45', '44', '4', '309'],
      ['25', '2017', '45', '2017', '45', '45', '45', '4', '310'],
    ],
  },
  {
    sql: `select format_date('%x', date '2008-12-25'), format_date('%b-%d-%Y', date '2008-12-25'), format_date('%b %Y', date '2008-12-25'), format_date('%A %a %B %C %D %d %e %F %G %g %h %j %m %U %u %V %W %w %y', date '2008-02-05'), format_date('%Q', date '2008-05-01'), format_date('%E4Y', date '0800-05-01')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING', 'STRING', 'STRING'],
    rows: [
      [
        '12/25/08',
        'Dec-25-2008',
        'Dec 2008',
        'Tuesday Tue February 20 02/05/08 05  5 2008-02-05 2008 08 Feb 036 02 05 2 06 05 2 08',
        '2',
        '0800',
      ],
    ],
  },
  {
    sql: `select parse_date('%A %b %e %Y', 'Thursday Dec 25 2008'), parse_date('%Y%m%d','20081225'), parse_date('%F', '2000-12-30'), parse_date('%x','12/25/08'), parse_date('%m/%d/%y','1/2/70'), parse_date('%Y','2010'), parse_date('%j %Y', '33 2010')`,
    types: ['DATE', 'DATE', 'DATE', 'DATE', 'DATE', 'DATE', 'DATE'],
    rows: [['2008-12-25', '2008-12-25', '2000-12-30', '2008-12-25', '1970-01-02', '2010-01-01', '2010-02-02']],
  },
  { sql: `select parse_date('%Y-%m-%d', '2010-13-01')`, fails: 'Failed to parse input string "2010-13-01"' },
  {
    sql: `select last_day(date '2008-11-25', month), last_day(date '2008-11-25'), last_day(date '2008-11-25', year), last_day(date '2008-11-10', week(sunday)), last_day(date '2008-11-10', week(monday)), last_day(date '2008-11-10', isoweek), last_day('2008-11-10', quarter), last_day('2008-11-10', isoyear)`,
    types: ['DATE', 'DATE', 'DATE', 'DATE', 'DATE', 'DATE', 'DATE', 'DATE'],
    rows: [
      ['2008-11-30', '2008-11-30', '2008-12-31', '2008-11-15', '2008-11-16', '2008-11-16', '2008-12-31', '2008-12-28'],
    ],
  },
  {
    sql: `select datetime(2008,12,25,5,30,0), datetime(timestamp '2008-12-25 05:30:00+00','America/Los_Angeles'), datetime(date '2008-12-25'), datetime(date '2008-12-25', time '10:11:12')`,
    types: ['DATETIME', 'DATETIME', 'DATETIME', 'DATETIME'],
    rows: [['2008-12-25T05:30:00', '2008-12-24T21:30:00', '2008-12-25T00:00:00', '2008-12-25T10:11:12']],
  },
  {
    sql: `select datetime_add(datetime '2008-12-25 15:30:00', interval 10 minute), datetime_sub('2008-12-25 15:30:00', interval 10 minute), datetime_add(datetime '2020-01-31 00:00:00', interval 1 month), datetime_sub(datetime '2020-03-31 00:00:00', interval 1 month)`,
    types: ['DATETIME', 'DATETIME', 'DATETIME', 'DATETIME'],
    rows: [['2008-12-25T15:40:00', '2008-12-25T15:20:00', '2020-02-29T00:00:00', '2020-02-29T00:00:00']],
  },
  {
    sql: `select datetime_diff(datetime '2010-07-07 10:20:00', datetime '2008-12-25 15:30:00', day), datetime_diff('2017-10-15 00:00:00','2017-10-14 00:00:00',week), datetime_diff('2017-12-30','2014-12-30',isoyear), datetime_diff(datetime '2017-10-15 00:00:00', datetime '2017-10-14 23:59:59', day), datetime_diff('2020-01-01 10:59:59','2020-01-01 09:01:00',hour), datetime_diff('2020-01-01 10:59:59','2020-01-01 09:01:00',second), datetime_diff('2001-02-01 01:00:00', '2001-02-01 00:00:01', minute)`,
    types: ['INT64', 'INT64', 'INT64', 'INT64', 'INT64', 'INT64', 'INT64'],
    rows: [['559', '1', '2', '1', '1', '7139', '60']],
  },
  {
    sql: `select datetime_trunc(datetime '2008-12-25 15:30:00', day), datetime_trunc('2017-11-05 00:00:00', week(monday)), datetime_trunc('2015-06-15 00:00:00', isoyear), datetime_trunc('2008-12-25 15:34:56.789', hour), datetime_trunc('2008-12-25 15:34:56.789123', millisecond)`,
    types: ['DATETIME', 'DATETIME', 'DATETIME', 'DATETIME', 'DATETIME'],
    rows: [
      [
        '2008-12-25T00:00:00',
        '2017-10-30T00:00:00',
        '2014-12-29T00:00:00',
        '2008-12-25T15:00:00',
        '2008-12-25T15:34:56.789',
      ],
    ],
  },
  {
    sql: `select format_datetime('%c', datetime '2008-12-25 15:30:00'), format_datetime('%b-%d-%Y', datetime '2008-12-25 15:30:00'), format_datetime('%E3S %H %I %M %p %P %R %T %S %k %l', datetime '2008-12-25 05:30:01.234567'), format_datetime('%E*S', datetime '2008-12-25 05:30:01.230000'), format_datetime('%X %s', datetime '2008-12-25 05:30:01')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING', 'STRING'],
    rows: [
      [
        'Thu Dec 25 15:30:00 2008',
        'Dec-25-2008',
        '01.234 05 05 30 AM am 05:30 05:30:01 01  5  5',
        '01.23',
        '05:30:01 1230183001',
      ],
    ],
  },
  {
    sql: `select parse_datetime('%Y-%m-%d %H:%M:%S', '1998-10-18 13:45:55'), parse_datetime('%m/%d/%Y %I:%M:%S %p', '8/30/2018 2:23:38 pm'), parse_datetime('%A, %B %e, %Y','Wednesday, December 19, 2018'), parse_datetime('%a %b %e %I:%M:%S %Y', 'Thu Dec 25 07:30:00 2008'), parse_datetime('%c','Thu Dec 25 07:30:00 2008'), parse_datetime('%E*S','12.345')`,
    types: ['DATETIME', 'DATETIME', 'DATETIME', 'DATETIME', 'DATETIME', 'DATETIME'],
    rows: [
      [
        '1998-10-18T13:45:55',
        '2018-08-30T14:23:38',
        '2018-12-19T00:00:00',
        '2008-12-25T07:30:00',
        '2008-12-25T07:30:00',
        '1970-01-01T00:00:12.345',
      ],
    ],
  },
  {
    sql: `select time(15,30,0), time(timestamp '2008-12-25 15:30:00+08','America/Los_Angeles'), time(datetime '2008-12-25 15:30:00'), time_add(time '15:30:00', interval 10 minute), time_sub('15:30:00', interval 16 hour), time_diff('15:30:00','14:35:00',minute), time_trunc('15:30:45.5', hour), format_time('%R', time '15:30:00'), parse_time('%H','15'), parse_time('%I:%M:%S %p','2:23:38 pm'), extract(hour from time '15:30:00'), extract(millisecond from time '15:30:00.123456')`,
    types: ['TIME', 'TIME', 'TIME', 'TIME', 'TIME', 'INT64', 'TIME', 'STRING', 'TIME', 'TIME', 'INT64', 'INT64'],
    rows: [
      [
        '15:30:00',
        '23:30:00',
        '15:30:00',
        '15:40:00',
        '23:30:00',
        '55',
        '15:00:00',
        '15:30',
        '15:00:00',
        '14:23:38',
        '15',
        '123',
      ],
    ],
  },
  {
    sql: `select timestamp('2008-12-25 15:30:00+00'), timestamp('2008-12-25 15:30:00','America/Los_Angeles'), timestamp('2008-12-25 15:30:00 UTC'), timestamp(datetime '2008-12-25 15:30:00'), timestamp(date '2008-12-25'), timestamp(date '2008-12-25','America/New_York')`,
    types: ['TIMESTAMP', 'TIMESTAMP', 'TIMESTAMP', 'TIMESTAMP', 'TIMESTAMP', 'TIMESTAMP'],
    rows: [
      [
        '1230219000000000',
        '1230247800000000',
        '1230219000000000',
        '1230219000000000',
        '1230163200000000',
        '1230181200000000',
      ],
    ],
  },
  {
    sql: `select timestamp_add(timestamp '2008-12-25 15:30:00+00', interval 10 minute), timestamp_sub(timestamp '2008-12-25 15:30:00+00', interval 1 day), timestamp_diff(timestamp '2010-07-07 10:20:00+00', timestamp '2008-12-25 15:30:00+00', hour), timestamp_diff('2018-08-14','2018-10-14',day), timestamp_diff('2001-02-01 01:00:00','2001-02-01 00:00:01',hour), timestamp_diff('2001-02-01 01:00:00','2001-02-01 00:00:01',microsecond)`,
    types: ['TIMESTAMP', 'TIMESTAMP', 'INT64', 'INT64', 'INT64', 'INT64'],
    rows: [['1230219600000000', '1230132600000000', '13410', '-61', '0', '3599000000']],
  },
  {
    sql: `select timestamp_trunc(timestamp '2008-12-25 15:30:00+00', day, 'UTC'), timestamp_trunc(timestamp '2008-12-25 15:30:00+00', day, 'America/Los_Angeles'), timestamp_trunc(timestamp '2017-11-06 00:00:00+12', week(monday), 'UTC'), timestamp_trunc(timestamp '2017-11-06 00:00:00+12', week(monday), 'Pacific/Auckland'), timestamp_trunc(timestamp '2015-06-15 00:00:00+00', isoyear), timestamp_trunc(timestamp '2008-12-25 15:30:45.123456', second), timestamp_trunc(timestamp '2008-12-25 15:30:45', month), timestamp_trunc(timestamp '2008-12-25 15:30:45', quarter)`,
    types: ['TIMESTAMP', 'TIMESTAMP', 'TIMESTAMP', 'TIMESTAMP', 'TIMESTAMP', 'TIMESTAMP', 'TIMESTAMP', 'TIMESTAMP'],
    rows: [
      [
        '1230163200000000',
        '1230192000000000',
        '1509321600000000',
        '1509879600000000',
        '1419811200000000',
        '1230219045000000',
        '1228089600000000',
        '1222819200000000',
      ],
    ],
  },
  {
    sql: `select format_timestamp('%c', timestamp '2050-12-25 15:30:55+00','UTC'), format_timestamp('%b-%d-%Y', timestamp '2050-12-25 15:30:55+00'), format_timestamp('%Y-%m-%dT%H:%M:%SZ', timestamp '2050-12-25 15:30:55','UTC'), format_timestamp('%F %T %Z %z %Ez %s', timestamp '2050-12-25 15:30:55','America/New_York'), format_timestamp('%Z', timestamp '2020-01-01'), format_timestamp('%Z %Ez', timestamp '2020-01-01','+05:30')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING', 'STRING', 'STRING'],
    rows: [
      [
        'Sun Dec 25 15:30:55 2050',
        'Dec-25-2050',
        '2050-12-25T15:30:55Z',
        '2050-12-25 10:30:55 UTC-5 -0500 -05:00 2555595055',
        'UTC',
        'UTC+0530 +05:30',
      ],
    ],
  },
  {
    sql: `select parse_timestamp('%a %b %e %I:%M:%S %Y', 'Thu Dec 25 07:30:00 2008'), parse_timestamp('%c','Thu Dec 25 07:30:00 2008'), parse_timestamp('%Y-%m-%d %H:%M:%S%Ez','2020-06-01 12:34:56+02:00'), parse_timestamp('%s','1540412434'), parse_timestamp('%F %T','2020-01-01 10:00:00','America/New_York'), parse_timestamp('%F %T %Z','2020-01-01 10:00:00 America/New_York'), parse_timestamp('%FT%TZ','2020-01-01T10:00:00Z'), parse_timestamp('%d%m%Y','01022020'), parse_timestamp('%E4Y','2020')`,
    types: [
      'TIMESTAMP',
      'TIMESTAMP',
      'TIMESTAMP',
      'TIMESTAMP',
      'TIMESTAMP',
      'TIMESTAMP',
      'TIMESTAMP',
      'TIMESTAMP',
      'TIMESTAMP',
    ],
    rows: [
      [
        '1230190200000000',
        '1230190200000000',
        '1591007696000000',
        '1540412434000000',
        '1577890800000000',
        '1577890800000000',
        '1577872800000000',
        '1580515200000000',
        '1577836800000000',
      ],
    ],
  },
  {
    sql: `select timestamp_seconds(1230219000), timestamp_millis(1230219000000), timestamp_micros(1230219000000000), unix_seconds(timestamp '2008-12-25 15:30:00+00'), unix_millis(timestamp '2008-12-25 15:30:00.123456+00'), unix_micros(timestamp '1960-12-25 15:30:00.123456+00'), unix_seconds(timestamp '1969-12-31 23:59:59.5')`,
    types: ['TIMESTAMP', 'TIMESTAMP', 'TIMESTAMP', 'INT64', 'INT64', 'INT64', 'INT64'],
    rows: [
      [
        '1230219000000000',
        '1230219000000000',
        '1230219000000000',
        '1230219000',
        '1230219000123',
        '-284545799876544',
        '-1',
      ],
    ],
  },
  {
    sql: `select extract(day from timestamp '2008-12-25 05:30:00+00' at time zone 'America/Los_Angeles'), extract(date from timestamp '2008-12-25 05:30:00+00' at time zone 'America/Los_Angeles'), extract(time from timestamp '2008-12-25 05:30:00+00'), extract(datetime from timestamp '2008-12-25 05:30:00+00'), extract(date from datetime '2008-12-25 05:30:00'), extract(millisecond from timestamp '2008-12-25 05:30:00.1239+00'), extract(dayofweek from timestamp '2008-12-25 05:30:00')`,
    types: ['INT64', 'DATE', 'TIME', 'DATETIME', 'DATE', 'INT64', 'INT64'],
    rows: [['24', '2008-12-24', '05:30:00', '2008-12-25T05:30:00', '2008-12-25', '123', '5']],
  },
  {
    sql: `select string(timestamp '2008-12-25 15:30:00+00','UTC'), string(date '2008-12-25'), string(datetime '2008-12-25 15:30:00'), string(timestamp '2008-12-25 15:30:00+00','America/New_York'), string(time '15:30:00')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['2008-12-25 15:30:00+00', '2008-12-25', '2008-12-25 15:30:00', '2008-12-25 10:30:00-05', '15:30:00']],
  },
  {
    sql: `select date '2020-01-01' + 1, date '2020-01-10' - 3, date '2020-01-10' - date '2020-01-01', datetime '2020-01-01 00:00:00' + interval 1 month, date '2020-01-31' + interval 1 month, timestamp '2020-01-01' + interval 25 hour, timestamp '2020-01-02' - timestamp '2020-01-01'`,
    types: ['DATE', 'DATE', 'INTERVAL', 'DATETIME', 'DATETIME', 'TIMESTAMP', 'INTERVAL'],
    rows: [
      [
        '2020-01-02',
        '2020-01-07',
        '0-0 9 0:0:0',
        '2020-02-01T00:00:00',
        '2020-02-29T00:00:00',
        '1577926800000000',
        '0-0 0 24:0:0',
      ],
    ],
  },
  {
    sql: `select interval 1 year, interval '1-2' year to month, interval '10 20:30:40' day to second, interval 5 quarter, interval -30 day, interval '1-2 3 4:5:6.789' year to second, interval 1 day + interval 2 hour, interval 2 day * 3, interval 10 month / 3, -interval 1 day`,
    types: [
      'INTERVAL',
      'INTERVAL',
      'INTERVAL',
      'INTERVAL',
      'INTERVAL',
      'INTERVAL',
      'INTERVAL',
      'INTERVAL',
      'INTERVAL',
      'INTERVAL',
    ],
    rows: [
      [
        '1-0 0 0:0:0',
        '1-2 0 0:0:0',
        '0-0 10 20:30:40',
        '1-3 0 0:0:0',
        '0-0 -30 0:0:0',
        '1-2 3 4:5:6.789',
        '0-0 1 2:0:0',
        '0-0 6 0:0:0',
        '0-3 10 0:0:0',
        '0-0 -1 0:0:0',
      ],
    ],
  },
  {
    sql: `select extract(year from interval '1-2' year to month), extract(month from interval 14 month), extract(day from interval 40 day), extract(hour from interval '10:20:30.5' hour to second), extract(second from interval '10:20:30.5' hour to second), justify_days(interval 35 day), justify_hours(interval 50 hour), justify_interval(interval '29 49:00:00' day to second), make_interval(1,2,3,4,5,6), make_interval(hour=>2)`,
    types: ['INT64', 'INT64', 'INT64', 'INT64', 'INT64', 'INTERVAL', 'INTERVAL', 'INTERVAL', 'INTERVAL', 'INTERVAL'],
    rows: [['1', '2', '40', '10', '30', '0-1 5 0:0:0', '0-0 2 2:0:0', '0-1 1 1:0:0', '1-2 3 4:5:6', '0-0 0 2:0:0']],
  },
  {
    sql: `select generate_date_array('2016-10-05','2016-10-08'), generate_date_array('2016-10-05','2016-10-09',interval 2 day), generate_date_array('2016-10-05','2016-10-01',interval -3 day), generate_date_array('2016-01-31','2016-12-31',interval 2 month), generate_timestamp_array('2016-10-05 00:00:00','2016-10-07 00:00:00',interval 1 day), generate_date_array('2016-10-05','2016-10-01')`,
    types: ['ARRAY<DATE>', 'ARRAY<DATE>', 'ARRAY<DATE>', 'ARRAY<DATE>', 'ARRAY<TIMESTAMP>', 'ARRAY<DATE>'],
    rows: [
      [
        ['2016-10-05', '2016-10-06', '2016-10-07', '2016-10-08'],
        ['2016-10-05', '2016-10-07', '2016-10-09'],
        ['2016-10-05', '2016-10-02'],
        ['2016-01-31', '2016-03-31', '2016-05-31', '2016-07-31', '2016-09-30', '2016-11-30'],
        ['1475625600000000', '1475712000000000', '1475798400000000'],
        [],
      ],
    ],
  },
  {
    sql: `select generate_array(1,5), generate_array(0,10,3), generate_array(10,0,-3), generate_array(4,4,10), generate_array(1,2,0.5), generate_array(5,1), generate_array(null,1)`,
    types: [
      'ARRAY<INT64>',
      'ARRAY<INT64>',
      'ARRAY<INT64>',
      'ARRAY<INT64>',
      'ARRAY<FLOAT64>',
      'ARRAY<INT64>',
      'ARRAY<INT64>',
    ],
    rows: [[['1', '2', '3', '4', '5'], ['0', '3', '6', '9'], ['10', '7', '4', '1'], ['4'], ['1', '1.5', '2'], [], []]],
  },
  {
    sql: `select cast('2020-1-2' as date), cast('2020-01-02 3:4:5.678' as datetime), cast('3:4:5' as time), cast(datetime '2020-01-02 03:04:05' as date), cast(timestamp '2020-01-02 03:04:05' as datetime), cast(date '2020-01-02' as timestamp), cast('2020-01-02T03:04:05Z' as timestamp), cast('2020-01-02 03:04:05+05:30' as timestamp), cast(timestamp '2020-01-01 00:00:00' as string), cast('2020-01-02' as timestamp), cast('2020-01-02 03:04' as timestamp)`,
    fails: "Invalid timestamp: '2020-01-02 03:04'",
  },
  {
    sql: `select cast('2020-01-02 03:04:05' as datetime) = datetime '2020-01-02 03:04:05', safe_cast('2020-02-30' as date), safe_cast('x' as timestamp), cast('2020-01-02 03:04:05' as date)`,
    fails: "Invalid date: '2020-01-02 03:04:05'",
  },
  {
    sql: `select cast(timestamp '2020-07-01 12:00:00' at time zone 'America/New_York' as string), cast(timestamp '2020-07-01 12:00:00' as string), cast('2020-07-01 12:00:00 America/New_York' as timestamp)`,
    fails: 'Syntax error: Unexpected keyword AT',
  },
  {
    sql: `select cast(date '2018-01-30' as string format 'YYYY'), cast(date '2018-01-30' as string format 'YYY'), cast(date '2018-01-30' as string format 'YY Y RR RRRR'), cast(date '2018-01-30' as string format 'MONTH'), cast(date '2018-02-15' as string format 'DAY'), cast(date '2018-01-30' as string format 'Mon DY Dy dd DDD D'), cast(date '2018-01-30' as string format 'MM/DD/YYYY'), cast(date '2018-01-30' as string format 'Month month'), cast(date '2018-01-30' as string format '"abc" YYYY')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING', 'STRING', 'STRING', 'STRING', 'STRING', 'STRING'],
    rows: [
      [
        '2018',
        '018',
        '18 8 18 2018',
        'JANUARY',
        'THURSDAY',
        'Jan TUE Tue 30 030 3',
        '01/30/2018',
        'January january',
        'abc 2018',
      ],
    ],
  },
  {
    sql: `select cast(time '21:30:00' as string format 'HH24'), cast(time '21:30:00' as string format 'HH12'), cast(time '21:30:25.5' as string format 'HH:MI:SS.FF3 AM'), cast(time '21:30:00' as string format 'SSSSS p.m.'), cast(time '21:30:00' as string format 'a.m.')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['21', '09', '09:30:25.500 PM', '77400 p.m.', 'p.m.']],
  },
  {
    sql: `select cast(timestamp '2008-12-25 00:00:00+00:00' as string format 'TZH'), cast(timestamp '2008-12-25 00:00:00+00:00' as string format 'TZH:TZM' at time zone 'Asia/Kolkata'), cast(datetime '2008-12-25 05:30:00' as string format 'YYYY-MM-DD HH24:MI:SS'), cast(timestamp '2008-12-25 00:00:00' as string format 'YYYY-MM-DD HH24:MI:SSTZH' at time zone 'America/Los_Angeles')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['+00', '+05:30', '2008-12-25 05:30:00', '2008-12-24 16:00:00-08']],
  },
  {
    sql: `select cast(b'\\x00\\x01\\xff' as string format 'HEX'), cast(b'abc' as string format 'BASE64'), cast('00ff' as bytes format 'HEX'), cast('YWJj' as bytes format 'BASE64'), cast(b'abc' as string format 'ASCII'), safe_cast('zz' as bytes format 'HEX'), safe_cast('x' as date format 'YYYY')`,
    types: ['STRING', 'STRING', 'BYTES', 'BYTES', 'STRING', 'BYTES', 'DATE'],
    rows: [['0001ff', 'YWJj', 'AP8=', 'YWJj', 'abc', null, null]],
  },
  { sql: `select cast(date '2018-01-30' as string format 'HH')`, fails: "DATE does not support 'HH'" },
];
