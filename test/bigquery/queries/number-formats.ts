/** Numbers as text by a format model, as GoogleSQL's reference implementation (ZetaSQL's evaluator) gives them. */
import type { QueryCase } from './query-case.ts';

export const CASES: readonly QueryCase[] = [
  {
    sql: `SELECT CAST(0e0 AS STRING FORMAT '999'), CAST(12 AS STRING FORMAT '999'), CAST(NUMERIC "-0.05" AS STRING FORMAT '999')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['   0', '  12', '  -0']],
  },
  {
    sql: `SELECT CAST(9.96 AS STRING FORMAT '9'), CAST(-0.5 AS STRING FORMAT '9'), CAST(99.995 AS STRING FORMAT '9')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' #', '-0', ' #']],
  },
  {
    sql: `SELECT CAST(0.005 AS STRING FORMAT '000'), CAST(0.5 AS STRING FORMAT '000'), CAST(0e0 AS STRING FORMAT '000')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' 000', ' 000', ' 000']],
  },
  {
    sql: `SELECT CAST(NUMERIC "99.995" AS STRING FORMAT '0999'), CAST(-0.5 AS STRING FORMAT '0999'), CAST(1e-10 AS STRING FORMAT '0999')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' 0100', '-0000', ' 0000']],
  },
  {
    sql: `SELECT CAST(1e10 AS STRING FORMAT '9990'), CAST(NUMERIC "12.5" AS STRING FORMAT '9990'), CAST(9.96 AS STRING FORMAT '9990')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' ####', '   13', '   10']],
  },
  {
    sql: `SELECT CAST(NUMERIC "-0.05" AS STRING FORMAT '999.99'), CAST(123456789 AS STRING FORMAT '999.99'), CAST(NUMERIC "12.5" AS STRING FORMAT '999.99')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['   -.05', ' ###.##', '  12.50']],
  },
  {
    sql: `SELECT CAST(0.005 AS STRING FORMAT '99.99'), CAST(0e0 AS STRING FORMAT '99.99'), CAST(0 AS STRING FORMAT '99.99')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['   .01', '   .00', '   .00']],
  },
  {
    sql: `SELECT CAST(9.96 AS STRING FORMAT '9.9'), CAST(123456789 AS STRING FORMAT '9.9'), CAST(0.95 AS STRING FORMAT '9.9')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' #.#', ' #.#', '  .9']],
  },
  {
    sql: `SELECT CAST(1e10 AS STRING FORMAT '0.00'), CAST(1e-10 AS STRING FORMAT '0.00'), CAST(NUMERIC "12.5" AS STRING FORMAT '0.00')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' #.##', ' 0.00', ' #.##']],
  },
  {
    sql: `SELECT CAST(-0.5 AS STRING FORMAT '.99'), CAST(NUMERIC "-0.05" AS STRING FORMAT '.99'), CAST(NUMERIC "99.995" AS STRING FORMAT '.99')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['-.50', '-.05', ' .##']],
  },
  {
    sql: `SELECT CAST(2.5 AS STRING FORMAT '9D9'), CAST(NUMERIC "99.995" AS STRING FORMAT '9D9'), CAST(0 AS STRING FORMAT '9D9')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' 2.5', ' #.#', '  .0']],
  },
  {
    sql: `SELECT CAST(-0.5 AS STRING FORMAT '9,999'), CAST(0.95 AS STRING FORMAT '9,999'), CAST(NUMERIC "99.995" AS STRING FORMAT '9,999')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['    -0', '     1', '   100']],
  },
  {
    sql: `SELECT CAST(1234.567 AS STRING FORMAT '9G999'), CAST(NUMERIC "12.5" AS STRING FORMAT '9G999'), CAST(NUMERIC "-0.05" AS STRING FORMAT '9G999')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' 1,235', '    13', '    -0']],
  },
  {
    sql: `SELECT CAST(9.96 AS STRING FORMAT '0,000'), CAST(NUMERIC "12.5" AS STRING FORMAT '0,000'), CAST(-0.5 AS STRING FORMAT '0,000')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' 0,010', ' 0,013', '-0,000']],
  },
  {
    sql: `SELECT CAST(123456789 AS STRING FORMAT '99,99'), CAST(1e-10 AS STRING FORMAT '99,99'), CAST(NUMERIC "12.5" AS STRING FORMAT '99,99')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' ##,##', '     0', '    13']],
  },
  {
    sql: `SELECT CAST(9.96 AS STRING FORMAT '999,999,999.00'), CAST(NUMERIC "99.995" AS STRING FORMAT '999,999,999.00'), CAST(NUMERIC "-0.05" AS STRING FORMAT '999,999,999.00')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['           9.96', '         100.00', '           -.05']],
  },
  {
    sql: `SELECT CAST(123456789 AS STRING FORMAT '$999'), CAST(-0.5 AS STRING FORMAT '$999'), CAST(1e10 AS STRING FORMAT '$999')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' $###', '  -$0', ' $###']],
  },
  {
    sql: `SELECT CAST(123456789 AS STRING FORMAT '9$99'), CAST(NUMERIC "12.5" AS STRING FORMAT '9$99'), CAST(2.5 AS STRING FORMAT '9$99')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' $###', '  $13', '   $2']],
  },
  {
    sql: `SELECT CAST(-999.9 AS STRING FORMAT '$9,999.99'), CAST(0.005 AS STRING FORMAT '$9,999.99'), CAST(NUMERIC "99.995" AS STRING FORMAT '$9,999.99')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['  -$999.90', '      $.01', '   $100.00']],
  },
  {
    sql: `SELECT CAST(NUMERIC "12.5" AS STRING FORMAT 'L99'), CAST(NUMERIC "99.995" AS STRING FORMAT 'L99'), CAST(9.96 AS STRING FORMAT 'L99')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' $13', ' $##', ' $10']],
  },
  {
    sql: `SELECT CAST(123456789 AS STRING FORMAT 'C99'), CAST(NUMERIC "99.995" AS STRING FORMAT 'C99'), CAST(9.96 AS STRING FORMAT 'C99')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' USD##', ' USD##', ' USD10']],
  },
  {
    sql: `SELECT CAST(NUMERIC "99.995" AS STRING FORMAT 'S999'), CAST(NUMERIC "-0.05" AS STRING FORMAT 'S999'), CAST(123456789 AS STRING FORMAT 'S999')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['+100', '  -0', '+###']],
  },
  {
    sql: `SELECT CAST(-999.9 AS STRING FORMAT '999S'), CAST(2.5 AS STRING FORMAT '999S'), CAST(0.95 AS STRING FORMAT '999S')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['###-', '  2+', '  1+']],
  },
  {
    sql: `SELECT CAST(-0.5 AS STRING FORMAT 'MI999'), CAST(0.005 AS STRING FORMAT 'MI999'), CAST(-999.9 AS STRING FORMAT 'MI999')`,
    fails: `Error in format string: 'MI' can only appear after all digits and 'EEEE'`,
  },
  {
    sql: `SELECT CAST(99.995 AS STRING FORMAT '999MI'), CAST(NUMERIC "99.995" AS STRING FORMAT '999MI'), CAST(NUMERIC "12.5" AS STRING FORMAT '999MI')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['100 ', '100 ', ' 13 ']],
  },
  {
    sql: `SELECT CAST(NUMERIC "-0.05" AS STRING FORMAT '999PR'), CAST(NUMERIC "12.5" AS STRING FORMAT '999PR'), CAST(NUMERIC "99.995" AS STRING FORMAT '999PR')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['  <0>', '  13 ', ' 100 ']],
  },
  {
    sql: `SELECT CAST(NUMERIC "99.995" AS STRING FORMAT '$999PR'), CAST(1e-10 AS STRING FORMAT '$999PR'), CAST(99.995 AS STRING FORMAT '$999PR')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' $100 ', '   $0 ', ' $100 ']],
  },
  {
    sql: `SELECT CAST(0.5 AS STRING FORMAT 'S$99'), CAST(-999.9 AS STRING FORMAT 'S$99'), CAST(NUMERIC "12.5" AS STRING FORMAT 'S$99')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' +$0', '-$##', '+$13']],
  },
  {
    sql: `SELECT CAST(9.96 AS STRING FORMAT 'B999'), CAST(12 AS STRING FORMAT 'B999'), CAST(0.95 AS STRING FORMAT 'B999')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['  10', '  12', '   1']],
  },
  {
    sql: `SELECT CAST(0 AS STRING FORMAT 'B99.9'), CAST(0.5 AS STRING FORMAT 'B99.9'), CAST(-12 AS STRING FORMAT 'B99.9')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['     ', '     ', '-12.0']],
  },
  {
    sql: `SELECT CAST(0e0 AS STRING FORMAT 'XXXX'), CAST(NUMERIC "99.995" AS STRING FORMAT 'XXXX'), CAST(0.005 AS STRING FORMAT 'XXXX')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['    0', '   64', '    0']],
  },
  {
    sql: `SELECT CAST(NUMERIC "99.995" AS STRING FORMAT 'xxxx'), CAST(2.5 AS STRING FORMAT 'xxxx'), CAST(-12 AS STRING FORMAT 'xxxx')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['   64', '    3', '   -c']],
  },
  {
    sql: `SELECT CAST(NUMERIC "12.5" AS STRING FORMAT '0XXX'), CAST(1234.567 AS STRING FORMAT '0XXX'), CAST(0.005 AS STRING FORMAT '0XXX')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' 000D', ' 04D3', ' 0000']],
  },
  {
    sql: `SELECT CAST(2.5 AS STRING FORMAT 'SXXX'), CAST(0.5 AS STRING FORMAT 'SXXX'), CAST(0e0 AS STRING FORMAT 'SXXX')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['  +3', '  +1', '  +0']],
  },
  {
    sql: `SELECT CAST(1e-10 AS STRING FORMAT '9.99EEEE'), CAST(0e0 AS STRING FORMAT '9.99EEEE'), CAST(NUMERIC "-0.05" AS STRING FORMAT '9.99EEEE')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' 1.00E-10', ' 0.00E+00', '-5.00E-02']],
  },
  {
    sql: `SELECT CAST(9.96 AS STRING FORMAT '9EEEE'), CAST(NUMERIC "99.995" AS STRING FORMAT '9EEEE'), CAST(-0.5 AS STRING FORMAT '9EEEE')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' 1E+01', ' 1E+02', '-5E-01']],
  },
  {
    sql: `SELECT CAST(2.5 AS STRING FORMAT '0.0EEEE'), CAST(0 AS STRING FORMAT '0.0EEEE'), CAST(12 AS STRING FORMAT '0.0EEEE')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' 2.5E+00', ' 0.0E+00', ' 1.2E+01']],
  },
  {
    sql: `SELECT CAST(-12 AS STRING FORMAT '99.9EEEE'), CAST(12 AS STRING FORMAT '99.9EEEE'), CAST(0 AS STRING FORMAT '99.9EEEE')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['-1.2E+01', ' 1.2E+01', ' 0.0E+00']],
  },
  {
    sql: `SELECT CAST(0e0 AS STRING FORMAT 'S9.9EEEE'), CAST(0 AS STRING FORMAT 'S9.9EEEE'), CAST(9.96 AS STRING FORMAT 'S9.9EEEE')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['+0.0E+00', '+0.0E+00', '+1.0E+01']],
  },
  {
    sql: `SELECT CAST(0.005 AS STRING FORMAT '999V9'), CAST(1234.567 AS STRING FORMAT '999V9'), CAST(-0.5 AS STRING FORMAT '999V9')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['    0', ' ####', '   -5']],
  },
  {
    sql: `SELECT CAST(-0.5 AS STRING FORMAT '9V99'), CAST(NUMERIC "12.5" AS STRING FORMAT '9V99'), CAST(0 AS STRING FORMAT '9V99')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' -50', ' ###', '  00']],
  },
  {
    sql: `SELECT CAST(1e10 AS STRING FORMAT ''), CAST(0e0 AS STRING FORMAT ''), CAST(2.5 AS STRING FORMAT '')`,
    fails: `Error in format string: Format string must contain at least one of 'X', '0' or '9'`,
  },
  {
    sql: `SELECT CAST(1234.567 AS STRING FORMAT 'FM999'), CAST(0e0 AS STRING FORMAT 'FM999'), CAST(0 AS STRING FORMAT 'FM999')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['###', '0', '0']],
  },
  {
    sql: `SELECT CAST(9.96 AS STRING FORMAT 'abc'), CAST(-12 AS STRING FORMAT 'abc'), CAST(99.995 AS STRING FORMAT 'abc')`,
    fails: `Error in format string: Invalid format element 'a'`,
  },
  {
    sql: `SELECT CAST(0.95 AS STRING FORMAT '9.9.9'), CAST(-999.9 AS STRING FORMAT '9.9.9'), CAST(0 AS STRING FORMAT '9.9.9')`,
    fails: `Error in format string: There can be at most one of '.', 'D', or 'V'`,
  },
  {
    sql: `SELECT CAST(99.995 AS STRING FORMAT '9,'), CAST(123456789 AS STRING FORMAT '9,'), CAST(0e0 AS STRING FORMAT '9,')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' #,', ' #,', ' 0,']],
  },
  {
    sql: `SELECT CAST(0.005 AS STRING FORMAT '9.9,9'), CAST(1e10 AS STRING FORMAT '9.9,9'), CAST(1234.567 AS STRING FORMAT '9.9,9')`,
    fails: `Error in format string: ',' or 'G' cannot appear after '.', 'D' or 'V'`,
  },
  {
    sql: `SELECT CAST(-999.9 AS STRING FORMAT '9.'), CAST(2.5 AS STRING FORMAT '9.'), CAST(12 AS STRING FORMAT '9.')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['-#.', ' 2.', ' #.']],
  },
  {
    sql: `SELECT CAST(0.95 AS STRING FORMAT 'SB9'), CAST(-12 AS STRING FORMAT 'SB9'), CAST(0 AS STRING FORMAT 'SB9')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['+1', '-#', '  ']],
  },
  {
    sql: `SELECT CAST(123456789 AS STRING FORMAT 'BS9'), CAST(1234.567 AS STRING FORMAT 'BS9'), CAST(NUMERIC "12.5" AS STRING FORMAT 'BS9')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['+#', '+#', '+#']],
  },
  {
    sql: `SELECT CAST(NUMERIC "99.995" AS STRING FORMAT '9EEEE9'), CAST(1e10 AS STRING FORMAT '9EEEE9'), CAST(-999.9 AS STRING FORMAT '9EEEE9')`,
    fails: `Error in format string: '9' cannot appear after 'EEEE'`,
  },
  {
    sql: `SELECT CAST(NUMERIC "12.5" AS STRING FORMAT 'V9'), CAST(0.95 AS STRING FORMAT 'V9'), CAST(1234.567 AS STRING FORMAT 'V9')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' #', ' 9', ' #']],
  },
  {
    sql: `SELECT CAST(0.95 AS STRING FORMAT '0EEEE'), CAST(0.005 AS STRING FORMAT '0EEEE'), CAST(NUMERIC "-0.05" AS STRING FORMAT '0EEEE')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' 9E-01', ' 5E-03', '-5E-02']],
  },
  {
    sql: `SELECT CAST(1e-10 AS STRING FORMAT 'FMS9'), CAST(0 AS STRING FORMAT 'FMS9'), CAST(1234.567 AS STRING FORMAT 'FMS9')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['+0', '+0', '+#']],
  },
  {
    sql: `SELECT CAST(0e0 AS STRING FORMAT 'FM$99.9MI'), CAST(0.005 AS STRING FORMAT 'FM$99.9MI'), CAST(NUMERIC "99.995" AS STRING FORMAT 'FM$99.9MI')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['$0.', '$0.', '$##.#']],
  },
  {
    sql: `SELECT CAST(1234.567 AS STRING FORMAT '9$'), CAST(-0.5 AS STRING FORMAT '9$'), CAST(NUMERIC "-0.05" AS STRING FORMAT '9$')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' $#', '-$0', '-$0']],
  },
  {
    sql: `SELECT CAST(-12 AS STRING FORMAT 'L9S'), CAST(123456789 AS STRING FORMAT 'L9S'), CAST(2.5 AS STRING FORMAT 'L9S')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['$#-', '$#+', '$2+']],
  },
  {
    sql: `SELECT CAST(NUMERIC "12.5" AS STRING FORMAT 'BB9'), CAST(0e0 AS STRING FORMAT 'BB9'), CAST(2.5 AS STRING FORMAT 'BB9')`,
    fails: `Error in format string: There can be at most one 'B'`,
  },
  {
    sql: `SELECT CAST(2.5 AS STRING FORMAT '99XX'), CAST(123456789 AS STRING FORMAT '99XX'), CAST(12 AS STRING FORMAT '99XX')`,
    fails: `Error in format string: 'X' cannot appear together with '9'`,
  },
  {
    sql: `SELECT CAST(0.005 AS STRING FORMAT 'X.X'), CAST(12 AS STRING FORMAT 'X.X'), CAST(2.5 AS STRING FORMAT 'X.X')`,
    fails: `Error in format string: 'X' cannot appear together with '.'`,
  },
  {
    sql: `SELECT CAST(9.96 AS STRING FORMAT 'EEEE'), CAST(0.005 AS STRING FORMAT 'EEEE'), CAST(1e-10 AS STRING FORMAT 'EEEE')`,
    fails: `Error in format string: Unexpected 'EEEE'`,
  },
  {
    sql: `SELECT CAST(0.005 AS STRING FORMAT '9.EEEE'), CAST(NUMERIC "12.5" AS STRING FORMAT '9.EEEE'), CAST(0 AS STRING FORMAT '9.EEEE')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' 5.E-03', ' 1.E+01', ' 0.E+00']],
  },
  {
    sql: `SELECT CAST(1234.567 AS STRING FORMAT '$9EEEE'), CAST(0e0 AS STRING FORMAT '$9EEEE'), CAST(1e10 AS STRING FORMAT '$9EEEE')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' $1E+03', ' $0E+00', ' $1E+10']],
  },
  {
    sql: `SELECT CAST(1e-10 AS STRING FORMAT '9EEEEMI'), CAST(-0.5 AS STRING FORMAT '9EEEEMI'), CAST(-12 AS STRING FORMAT '9EEEEMI')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['1E-10 ', '5E-01-', '1E+01-']],
  },
  {
    sql: `SELECT CAST(NUMERIC "12.5" AS STRING FORMAT '9EEEEPR'), CAST(12 AS STRING FORMAT '9EEEEPR'), CAST(2.5 AS STRING FORMAT '9EEEEPR')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' 1E+01 ', ' 1E+01 ', ' 2E+00 ']],
  },
  {
    sql: `SELECT CAST(-12 AS STRING FORMAT 'mi'), CAST(NUMERIC "99.995" AS STRING FORMAT 'mi'), CAST(0 AS STRING FORMAT 'mi')`,
    fails: `Error in format string: 'MI' can only appear after all digits and 'EEEE'`,
  },
  {
    sql: `SELECT CAST(-0.5 AS STRING FORMAT '99mi'), CAST(2.5 AS STRING FORMAT '99mi'), CAST(-12 AS STRING FORMAT '99mi')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [[' 0-', ' 2 ', '12-']],
  },
  {
    sql: `SELECT CAST(0.5 AS STRING FORMAT 's9'), CAST(0 AS STRING FORMAT 's9'), CAST(NUMERIC "12.5" AS STRING FORMAT 's9')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['+0', '+0', '+#']],
  },
  {
    sql: `SELECT CAST(123456789 AS STRING FORMAT 'FM999.99'), CAST(NUMERIC "99.995" AS STRING FORMAT 'FM999.99'), CAST(99.995 AS STRING FORMAT 'FM999.99')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['###.##', '100.', '100.']],
  },
  {
    sql: `SELECT CAST(NUMERIC "-0.05" AS STRING FORMAT 'FM990.90'), CAST(1e10 AS STRING FORMAT 'FM990.90'), CAST(0.5 AS STRING FORMAT 'FM990.90')`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['-0.05', '###.##', '0.5']],
  },
  {
    sql: `SELECT CAST(CAST('inf' AS FLOAT64) AS STRING FORMAT '9,999.99'), CAST(CAST('nan' AS FLOAT64) AS STRING FORMAT '99')`,
    types: ['STRING', 'STRING'],
    rows: [['   INF   ', ' ##']],
  },
];
