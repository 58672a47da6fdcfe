/** Elements of date and time formats on every type, with what GoogleSQL's reference implementation gives. */
import type { QueryCase } from './query-case.ts';

export const CASES: readonly QueryCase[] = [
  {
    sql: `SELECT FORMAT_DATE('<%A>', DATE '2021-03-04'), FORMAT_DATETIME('<%A>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%A>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%A>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<Thursday>', '<Thursday>', '<%A>', '<Thursday>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%B>', DATE '2021-03-04'), FORMAT_DATETIME('<%B>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%B>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%B>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<March>', '<March>', '<%B>', '<March>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%h>', DATE '2021-03-04'), FORMAT_DATETIME('<%h>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%h>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%h>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<Mar>', '<Mar>', '<%h>', '<Mar>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%c>', DATE '2021-03-04'), FORMAT_DATETIME('<%c>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%c>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%c>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<%c>', '<Thu Mar  4 15:06:07 2021>', '<%c>', '<Thu Mar  4 20:36:07 2021>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%d>', DATE '2021-03-04'), FORMAT_DATETIME('<%d>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%d>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%d>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<04>', '<04>', '<%d>', '<04>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%F>', DATE '2021-03-04'), FORMAT_DATETIME('<%F>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%F>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%F>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<2021-03-04>', '<2021-03-04>', '<%F>', '<2021-03-04>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%g>', DATE '2021-03-04'), FORMAT_DATETIME('<%g>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%g>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%g>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<21>', '<21>', '<%g>', '<21>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%I>', DATE '2021-03-04'), FORMAT_DATETIME('<%I>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%I>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%I>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<%I>', '<03>', '<03>', '<08>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%k>', DATE '2021-03-04'), FORMAT_DATETIME('<%k>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%k>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%k>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<%k>', '<15>', '<15>', '<20>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%M>', DATE '2021-03-04'), FORMAT_DATETIME('<%M>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%M>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%M>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<%M>', '<06>', '<06>', '<36>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%n>', DATE '2021-03-04'), FORMAT_DATETIME('<%n>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%n>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%n>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<\n>', '<\n>', '<\n>', '<\n>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%p>', DATE '2021-03-04'), FORMAT_DATETIME('<%p>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%p>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%p>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<%p>', '<PM>', '<PM>', '<PM>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%R>', DATE '2021-03-04'), FORMAT_DATETIME('<%R>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%R>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%R>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<%R>', '<15:06>', '<15:06>', '<20:36>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%S>', DATE '2021-03-04'), FORMAT_DATETIME('<%S>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%S>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%S>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<%S>', '<07>', '<07>', '<07>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%T>', DATE '2021-03-04'), FORMAT_DATETIME('<%T>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%T>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%T>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<%T>', '<15:06:07>', '<15:06:07>', '<20:36:07>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%U>', DATE '2021-03-04'), FORMAT_DATETIME('<%U>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%U>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%U>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<09>', '<09>', '<%U>', '<09>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%V>', DATE '2021-03-04'), FORMAT_DATETIME('<%V>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%V>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%V>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<09>', '<09>', '<%V>', '<09>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%W>', DATE '2021-03-04'), FORMAT_DATETIME('<%W>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%W>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%W>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<09>', '<09>', '<%W>', '<09>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%X>', DATE '2021-03-04'), FORMAT_DATETIME('<%X>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%X>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%X>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<%X>', '<15:06:07>', '<15:06:07>', '<20:36:07>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%Y>', DATE '2021-03-04'), FORMAT_DATETIME('<%Y>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%Y>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%Y>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<2021>', '<2021>', '<%Y>', '<2021>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%Z>', DATE '2021-03-04'), FORMAT_DATETIME('<%Z>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%Z>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%Z>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<%Z>', '<%Z>', '<%Z>', '<UTC+0530>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%%>', DATE '2021-03-04'), FORMAT_DATETIME('<%%>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%%>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%%>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<%>', '<%>', '<%>', '<%>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%f>', DATE '2021-03-04'), FORMAT_DATETIME('<%f>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%f>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%f>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<%f>', '<%f>', '<%f>', '<%f>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%N>', DATE '2021-03-04'), FORMAT_DATETIME('<%N>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%N>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%N>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<%N>', '<%N>', '<%N>', '<%N>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%K>', DATE '2021-03-04'), FORMAT_DATETIME('<%K>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%K>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%K>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<%K>', '<%K>', '<%K>', '<%K>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%O>', DATE '2021-03-04'), FORMAT_DATETIME('<%O>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%O>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%O>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<%O>', '<%O>', '<%O>', '<%O>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%E3S>', DATE '2021-03-04'), FORMAT_DATETIME('<%E3S>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%E3S>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%E3S>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<%E3S>', '<07.089>', '<07.089>', '<07.089>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%E4Y>', DATE '2021-03-04'), FORMAT_DATETIME('<%E4Y>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%E4Y>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%E4Y>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<2021>', '<2021>', '<%E4Y>', '<2021>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%Ey>', DATE '2021-03-04'), FORMAT_DATETIME('<%Ey>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%Ey>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%Ey>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<21>', '<21>', '<%Ey>', '<21>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%Ex>', DATE '2021-03-04'), FORMAT_DATETIME('<%Ex>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%Ex>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%Ex>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<03/04/21>', '<03/04/21>', '<%Ex>', '<03/04/21>']],
  },
  {
    sql: `SELECT FORMAT_DATE('<%OH>', DATE '2021-03-04'), FORMAT_DATETIME('<%OH>', DATETIME '2021-03-04 15:06:07.089'), FORMAT_TIME('<%OH>', TIME '15:06:07.089'), FORMAT_TIMESTAMP('<%OH>', TIMESTAMP '2021-03-04 15:06:07.089+00', 'Asia/Kolkata')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['<%OH>', '<15>', '<15>', '<20>']],
  },
];
