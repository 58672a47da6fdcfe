/**
 * Facts of Beam's reference implementation, one line each, in the notation of `notation.ts`. RF: its ReduceFnRunner; LD:
 * its filter for late data; TS: pipelines under a test stream; TR: its trigger machines; W: its windows.
 */
import { describe, it } from 'vitest';
import { type Handling, runScenario } from './notation.ts';

type Fact = readonly [id: string, title: string, header: string, steps: string];

const UNTIL_END_THEN_25 = 'Each(OrFin(Rep(PTime(5)),EOW()),Rep(PTime(25)))';
const COUNT_OR_END = 'Rep(First(Count(2),EOW()))';

const FACTS: readonly Fact[] = [
  [
    'RF01',
    'a processing-time trigger never removes the window',
    'Fixed(100) Rep(PTime(10)) ACC L0 EARLIEST',
    'pt 5000 | in 2,5 | pt 10000 | → EARLY#0/-1 {2,5}@2',
  ],
  [
    'RF02',
    'end and expiry in one jump of the watermark make one pane, on time and last',
    'Sessions(10) Default() ACC L50 EARLIEST close=ALWAYS',
    'wm 0 | in 1 | wm 100 | → ON_TIME#0/0* {1}@1 [1,11)',
  ],
  [
    'RF03',
    'the same of fixed windows',
    'Fixed(10) Default() ACC L50 EARLIEST close=ALWAYS',
    'wm 0 | in 1 | wm 100 | → ON_TIME#0/0* {1}@1',
  ],
  [
    'RF04',
    'the same where the last pane is only wanted when it is not empty',
    'Fixed(10) Default() ACC L50 EARLIEST',
    'wm 0 | in 1 | wm 100 | → ON_TIME#0/0* {1}@1',
  ],
  [
    'RF05',
    'there are never two on-time panes',
    'Fixed(10) Default() ACC L100 EOW',
    'wm 0 | in 1 | wm 10 | → ON_TIME#0/0 {1}@9 | in 3 | → LATE#1/1 {1,3}@9',
  ],
  [
    'RF06',
    'a processing timer of an expired window does nothing that its expiry does not',
    'Fixed(100) Rep(PTime(10)) ACC L0 EARLIEST',
    'pt 5000 | in 2,5 | wm 100 | → ON_TIME#0/0* {2,5}@2 | pt 6000 | → nothing',
  ],
  [
    'RF07',
    'expiry and a processing timer due together make one pane',
    'Fixed(100) Rep(PTime(10)) ACC L0 EARLIEST',
    'pt 5000 | in 2,5 | wm* 100 | pt* 5011 | timers | → ON_TIME#0/0* {2,5}@2',
  ],
  [
    'RF08',
    'expiry and then a processing timer make one pane',
    'Fixed(100) Rep(PTime(10)) ACC L0 EARLIEST',
    'pt 5000 | in 2,5 | wm 100 | pt 5011 | → ON_TIME#0/0* {2,5}@2',
  ],
  [
    'RF09',
    'end and expiry together with a lateness of 1 mark the pane as last',
    'Fixed(100) Rep(EOW()) ACC L1 EARLIEST',
    'in 2,5 | wm 1000 | → ON_TIME#0/0* {2,5}@2',
  ],
  [
    'RF10',
    'holds with late data through early, on-time and late panes',
    'Fixed(10) Manual ACC L10 EARLIEST',
    '?hold=- | in 1 | in 3 | ?hold=1 | FIRE | in 2 | → EARLY#0/-1 {1,2,3}@1 | ?hold=- | wm 4 | ?owm=4 | hush | wm 4 | in 2 | in 3 | ?hold=19 | in 5 | ?hold=5 | FIRE | in 4 | → EARLY#1/-1 {1,2,2,3,3,4,5}@4 | ?hold=- | hush | wm 8 | in 6 | in 5 | ?hold=19 | in 4 | FIRE | owm-manual | wm 10 | timers | → ON_TIME#2/0 {1,2,2,3,3,4,4,5,5,6}@9 | owm-follows | hush | in 8 | ?drop late=0,closed=0 | wm 50 | → LATE#3/1* {1,2,2,3,3,4,4,5,5,6,8}@9 | ?owm=50 | ?hold=-',
  ],
  [
    'RF11',
    'a session that is late when it is new holds nothing once it has fired',
    'Sessions(10) Rep(EarlyLate(None,Count(1))) DISC L60000 EOW owm-manual',
    'wm 40 | in 1 | ?hold=- | in 10 | ?hold=- | → ON_TIME#0/0 {1}@10 [1,11) ; ON_TIME#0/0 {10}@19 [1,20)',
  ],
  [
    'RF12',
    'a hold follows a session that grows past the watermark',
    'Sessions(10) Rep(EarlyLate(None,Count(1))) DISC L60000 EOW owm-manual',
    'wm 24 | in 1 | ?hold=- | in 14 | ?hold=- | in 6,16 | ?hold=25 | in 6,21 | ?hold=30 | wm 31 | ?hold=- | in 0 | ?hold=- | in 32,40 | ?hold=49 | in 24 | ?hold=49 | wm 50 | ?hold=- | → ON_TIME#0/0 {1}@10 ; ON_TIME#0/0 {14}@23 ; ON_TIME#0/0 {6,6,16,21}@30 ; ON_TIME#0/0 {0}@30 ; ON_TIME#0/0 {24,32,40}@49',
  ],
  [
    'RF13',
    'a late session that waits for more holds at its expiry',
    'Sessions(10) Rep(EarlyLate(None,Count(10))) DISC L6000000 EOW owm-manual',
    'wm 20 | in 3 | → ON_TIME#0/0 {3}@12 | ?hold=- | in 4 | ?hold=6000013 | wm 1000 | ?hold=6000013',
  ],
  [
    'RF14',
    'an element that is late at the input, but not at the output, holds at its timestamp',
    'Fixed(10) Manual ACC L10 EARLIEST close=ALWAYS owm-manual',
    'wm 15 | owm 11 | in 14 | ?hold=14 | FIRE | wm 20 | timers | → ON_TIME#0/0 {14}@14 | hush | ?hold=29 | in 13 | ?hold=29 | wm 30 | → LATE#1/1* {13,14}@19 | ?hold=-',
  ],
  [
    'RF15',
    'all timings',
    'Fixed(10) Manual DISC L100 EARLIEST',
    'wm 0 | FIRE | in 1 | → EARLY#0/-1 {1}@1 | in 2 | → EARLY#1/-1 {2}@2 | hush | owm-manual | wm 15 | FIRE | in 3 | → ON_TIME#2/0 {3}@9 | owm-follows | in 4 | → LATE#3/1 {4}@9 | FIRE+FIN | in 5 | → LATE#4/2* {5}@9',
  ],
  [
    'RF16',
    'an empty on-time pane, then an empty last one, when discarding',
    `Fixed(10) ${COUNT_OR_END} DISC L100 EARLIEST close=ALWAYS`,
    'wm 0 | in 1,2 | → EARLY#0/-1 {1,2}@1 | wm 50 | → ON_TIME#1/0 {}@9 | wm 150 | → LATE#2/1* {}@9',
  ],
  [
    'RF17',
    'the same when accumulating: the empty panes repeat the content',
    `Fixed(10) ${COUNT_OR_END} ACC L100 EARLIEST close=ALWAYS`,
    'wm 0 | in 1,2 | → EARLY#0/-1 {1,2}@1 | wm 50 | → ON_TIME#1/0 {1,2}@9 | wm 150 | → LATE#2/1* {1,2}@9',
  ],
  [
    'RF18',
    'no last pane when it is empty and not wanted',
    `Fixed(10) ${COUNT_OR_END} ACC L100 EARLIEST`,
    'wm 0 | in 1,2 | wm 20 | wm 250 | → EARLY#0/-1 {1,2}@1 ; ON_TIME#1/0 {1,2}@9',
  ],
  [
    'RF19',
    'an empty last pane when it is wanted',
    `Fixed(10) ${COUNT_OR_END} ACC L100 EARLIEST close=ALWAYS`,
    'wm 0 | in 1,2 | wm 20 | wm 250 | → EARLY#0/-1 {1,2}@1 ; ON_TIME#1/0 {1,2}@9 ; LATE#2/1* {1,2}@9',
  ],
  [
    'RF20',
    'without a watermark trigger nothing holds at the end; a late element holds at expiry',
    'Fixed(10) Rep(PTime(5000)) DISC L86400000 EOW',
    'wm 0 | pt 0 | in 1 | ?hold=9 | pt 6000 | → EARLY#0/-1 {1}@9 | ?hold=- | wm 3600009 | in 3 | ?hold=86400009',
  ],
  [
    'RF21',
    'orFinally at the end of the window: the empty on-time pane is the last',
    'Fixed(10) OrFin(Rep(Count(2)),EOW()) DISC L100 EOW close=ALWAYS',
    'wm 0 | in 1,2 | → EARLY#0/-1 {1,2}@9 | wm 150 | → ON_TIME#1/0* {}@9',
  ],
  [
    'RF22',
    'finishing with the first early pane',
    'Fixed(10) Manual DISC L100 EARLIEST',
    'wm 0 | FIRE+FIN | in 1 | → EARLY#0/-1* {1}@1',
  ],
  [
    'RF23',
    'the first pane can be late: the output watermark is past the window',
    'Fixed(10) Manual DISC L100 EARLIEST',
    'wm 15 | FIRE+FIN | in 1 | → LATE#0/0* {1}@9',
  ],
  [
    'RF24',
    'sessions merge before they are emitted',
    'Sessions(10) Manual DISC L0 EARLIEST',
    'in 1,10 | wm 100 | → ON_TIME#0/0* {1,10}@1 [1,20)',
  ],
  [
    'RF26',
    'a closed session that gets more refuses it',
    'Sessions(10) Manual DISC L50 EARLIEST',
    'in 1 | FIRE+FIN | wm 15 | timers | in 1 | ?drop late=0,closed=1 | wm 100 | → ON_TIME#0/0* {1}@1 [1,11)',
  ],
  [
    'RF27',
    'a merged session remembers that it is closed',
    'Sessions(10) Manual DISC L50 EARLIEST',
    'FIRE+FIN | in 1,8 | in 1,2,8 | ?drop late=0,closed=3 | wm 100 | → EARLY#0/-1* {1,8}@1 [1,18)',
  ],
  [
    'RF28',
    'a closed session does not spoil a wider one',
    'Sessions(10) Manual DISC L50 EARLIEST',
    'FIRE+FIN | in 2 | hush | in 1,2,3 | wm 100 | → EARLY#0/-1* {2}@2 [2,12) ; ON_TIME#0/0* {1,2,3}@1 [1,13)',
  ],
  [
    'RF29',
    'each closed window of an element counts',
    'Sliding(100,30) EOW() DISC L1000 EOW',
    'in 10@23,12@40 | ?drop late=0,closed=0 | wm 70 | → ON_TIME#0/0* {10}@39 [-60,40) ; ON_TIME#0/0* {10,12}@69 [-30,70) | in 14@60 | ?drop late=0,closed=1 | wm 130 | → ON_TIME#0/0* {10,12,14}@99 [0,100) ; ON_TIME#0/0* {12,14}@129 [30,130) | in 16@40 | ?drop late=0,closed=4',
  ],
  [
    'RF30',
    'an empty firing is invisible when discarding',
    'Fixed(10) Manual DISC L100 EARLIEST',
    'in 1 | in 2 | owm-manual | wm 12 | FIRE | timers | timers | FIRE+FIN | in 3 | → ON_TIME#0/0 {1,2}@1 ; LATE#1/1* {3}@9',
  ],
  [
    'RF31',
    'an empty firing is invisible when accumulating',
    'Fixed(10) Manual ACC L100 EARLIEST',
    'in 1 | in 2 | owm-manual | wm 12 | FIRE | timers | → ON_TIME#0/0 {1,2}@1 | timers | → nothing | FIRE+FIN | in 3 | → LATE#1/1* {1,2,3}@9',
  ],
  [
    'RF32',
    'the on-time pane is emitted when empty',
    `Fixed(10) ${UNTIL_END_THEN_25} ACC L100 EARLIEST`,
    'wm 0 | pt 0 | in a@1,b@3,c@7,d@5 | pt 6 | wm 11 | → EARLY#0/-1 {a,b,c,d}@1 ; ON_TIME#1/0 {a,b,c,d}@9',
  ],
  [
    'RF33',
    'unless it is only wanted when it is not',
    `Fixed(10) ${UNTIL_END_THEN_25} ACC L100 EARLIEST close=ALWAYS ontime=NONEMPTY`,
    'wm 0 | pt 0 | in a@1,b@3,c@7,d@5 | pt 6 | wm 11 | wm 110 | → EARLY#0/-1 {a,b,c,d}@1 ; LATE#1/0* {a,b,c,d}@9',
  ],
  [
    'RF34',
    'the empty on-time pane is the last one where nothing may be late',
    'Fixed(10) EarlyLate(Count(1),None) ACC L0 EARLIEST',
    'wm 0 | pt 0 | in 1 | wm 11 | → EARLY#0/-1 {1}@1 ; ON_TIME#1/0* {1}@9',
  ],
  [
    'RF35',
    'a late pane takes the place of the on-time one that was not emitted',
    `Fixed(10) ${UNTIL_END_THEN_25} ACC L100 EARLIEST ontime=NONEMPTY`,
    'wm 0 | pt 0 | in a@1,b@3,c@7,d@5 | pt 6 | wm 11 | in e@9 | pt 32 | → EARLY#0/-1 {a,b,c,d}@1 ; LATE#1/0 {a,b,c,d,e}@9',
  ],
  [
    'RF36',
    'early by processing time, on time, late by processing time, last at expiry',
    `Fixed(10) ${UNTIL_END_THEN_25} ACC L100 EARLIEST`,
    'wm 0 | pt 0 | in a@1,b@3,c@7,d@5 | pt 6 | in e@8,f@4 | wm 11 | in g@8,h@4,i@5 | wm 12 | in j@3 | pt 15 | in k@5 | pt 32 | in l@3 | wm 125 | → EARLY#0/-1 {a,b,c,d}@1 ; ON_TIME#1/0 {a,b,c,d,e,f}@4 ; LATE#2/1 {a,b,c,d,e,f,g,h,i,j,k}@9 ; LATE#3/2* {a,b,c,d,e,f,g,h,i,j,k,l}@9',
  ],
  [
    'RF37',
    'a drain of the global window emits the remainder',
    'Global() Rep(Count(3)) DISC L0 EOW',
    'wm 0 | in 0 | in 1 | in 2 | in 3 | in 4 | in 5 | in 6 | in 7 | → EARLY#0/-1 {0,1,2}@GMAX ; EARLY#1/-1 {3,4,5}@GMAX | wm +inf | → ON_TIME#2/0* {6,7}@GMAX',
  ],
  [
    'RF37',
    'or an empty pane, where there is no remainder',
    'Global() Rep(PTime(3)) DISC L0 EOW',
    'wm 0 | pt 0 | in 0 | pt 1 | in 1 | pt 2 | in 2 | pt 3 | in 3 | pt 4 | in 4 | → EARLY#0/-1 {0,1,2,3}@GMAX | pt 8 | → EARLY#1/-1 {4}@GMAX | wm +inf | → ON_TIME#2/0* {}@GMAX',
  ],
  [
    'RF38',
    'late data that its trigger does not release leaves at expiry',
    'Fixed(10) EarlyLate(None,Count(2)) DISC L100 EOW',
    'wm 0 | in 1 | wm 109 | in 2 | ?hold=109 | wm 110 | → ON_TIME#0/0 {1}@9 ; LATE#1/1* {2}@9',
  ],
  [
    'LD01',
    'late is judged by a window’s expiry, not by the element',
    'Fixed(10) Default() DISC L0 EOW',
    'wm 15 | in 13,5,16,18 | ?drop late=1,closed=0 | wm 20 | → ON_TIME#0/0* {13,16,18}@19',
  ],
  [
    'TS01',
    'late never: late data leaves in one pane at expiry',
    'Fixed(1000) EarlyLate(Count(2),Never()) DISC L5000 EOW',
    'wm 0 | in 100,200 | in 500 | wm 1000 | in 750,250 | wm +inf | → EARLY#0/-1 {100,200}@999 ; ON_TIME#1/0 {500}@999 ; LATE#2/1* {250,750}@999',
  ],
  [
    'TS02',
    'beyond lateness is dropped, the rest goes on',
    'Fixed(1000) Default() DISC L5000 EOW',
    'wm 0 | in -1000000 | ?drop late=1,closed=0 | in 100 | wm +inf | → ON_TIME#0/0* {100}@999',
  ],
  [
    'TS03',
    'on time, late, and an empty last pane',
    'Fixed(300000) EarlyLate(PTime(120000),Count(1)) ACC L300000 EOW close=ALWAYS',
    'pt 0 | in 1@0,2@0,3@0 | wm 360000 | in 4@0,5@0 | wm 600000 | wm 1200000 | in -1@0,-2@0,-3@0 | ?drop late=3,closed=0 | wm +inf | → ON_TIME#0/0 {1,2,3}@299999 ; LATE#1/1 {1,2,3,4,5}@299999 ; LATE#2/2* {1,2,3,4,5}@299999',
  ],
  [
    'TS04',
    'three early panes, then the on-time one repeats the content',
    'Fixed(1800000) EarlyLate(PTime(300000),None) ACC L0 EOW',
    'pt 0 | in 1@1000 | pt 360000 | in 2@2000 | pt 720000 | in 3@3000 | pt 1080000 | wm +inf | → EARLY#0/-1 {1}@1799999 ; EARLY#1/-1 {1,2}@1799999 ; EARLY#2/-1 {1,2,3}@1799999 ; ON_TIME#3/0* {1,2,3}@1799999',
  ],

  [
    'TR01',
    'a count is asked once a bundle, and finishes',
    'Fixed(10) Count(2) DISC L0 EOW',
    'in 1 | → nothing | in 2,3,4 | → EARLY#0/-1* {1,2,3,4}@9 | in 5 | ?drop late=0,closed=1',
  ],
  [
    'TR01',
    'merging sessions add up their counts; closed ones do not merge',
    'Sessions(10) Count(2) DISC L0 EOW',
    'in 1 | → nothing | in 2 | → EARLY#0/-1* {1,2}@11 [1,12) | in 7,9 | → EARLY#0/-1* {7,9}@18 [7,19)',
  ],
  [
    'TR02',
    'a delay counts from the first element, and is over when time is past it',
    'Fixed(100) Rep(PTime(5)) DISC L0 EOW',
    'pt 10 | in 1 | pt 12 | in 2 | pt 15 | → nothing | pt 16 | → EARLY#0/-1 {1,2}@99 | pt 30 | → nothing | in 3 | pt 35 | → nothing | pt 36 | → EARLY#1/-1 {3}@99',
  ],
  [
    'TR02',
    'merging sessions keep the earliest first element',
    'Sessions(10) Rep(PTime(5)) DISC L0 EOW',
    'pt 10 | in 1 | pt 13 | in 15 | in 8 | pt 15 | → nothing | pt 16 | → EARLY#0/-1 {1,8,15}@24 [1,25)',
  ],
  [
    'TR04',
    'early firings repeat, then the window’s end, then late firings from a fresh count',
    'Fixed(10) EarlyLate(Count(2),Count(2)) DISC L100 EOW',
    'wm 0 | in 1,2 | in 3,4 | in 5 | wm 10 | → EARLY#0/-1 {1,2}@9 ; EARLY#1/-1 {3,4}@9 ; ON_TIME#2/0 {5}@9 | in 6 | → nothing | in 7 | → LATE#3/1 {6,7}@9 | in 8,9 | → LATE#4/2 {8,9}@9',
  ],
  [
    'TR04',
    'without late firings the on-time pane is the last',
    'Fixed(10) EarlyLate(Count(2),None) DISC L100 EOW',
    'wm 0 | in 1 | wm 10 | → ON_TIME#0/0* {1}@9 | in 2 | ?drop late=0,closed=1',
  ],
  [
    'TR05',
    'a session that grows past the watermark is before its end again',
    'Sessions(10) EarlyLate(Count(100),Count(1)) DISC L100 EOW',
    'in 1 | wm 11 | → ON_TIME#0/0 {1}@10 [1,11) | in 5 | → nothing | wm 14 | → nothing | wm 15 | → ON_TIME#0/0 {5}@14 [1,15)',
  ],
  [
    'TR05',
    'two sessions past their end that merge stay past it',
    'Sessions(10) EarlyLate(Count(100),Count(2)) DISC L100 EOW',
    'in 1 | in 15 | wm 30 | → ON_TIME#0/0 {1}@10 [1,11) ; ON_TIME#0/0 {15}@24 [15,25) | in 8 | → nothing | in 9 | → LATE#0/0 {8,9}@24 [1,25)',
  ],
  [
    'TR06',
    'afterFirst is ready with any part',
    'Fixed(100) First(Count(3),PTime(5)) DISC L0 EOW',
    'pt 0 | in 1 | pt 6 | → EARLY#0/-1* {1}@99',
  ],
  [
    'TR06',
    'afterAll is ready with all parts',
    'Fixed(100) All(Count(2),PTime(5)) DISC L0 EOW',
    'pt 0 | in 1,2,3 | → nothing | pt 6 | → EARLY#0/-1* {1,2,3}@99',
  ],
  [
    'TR06',
    'and repeats from the beginning',
    'Fixed(100) Rep(All(Count(2),PTime(5))) DISC L0 EOW',
    'pt 0 | in 1,2 | pt 6 | → EARLY#0/-1 {1,2}@99 | in 3 | pt 20 | → nothing | in 4 | → EARLY#1/-1 {3,4}@99',
  ],
  [
    'TR07',
    'afterEach takes its parts in turn',
    'Fixed(1000) Each(OrFin(Rep(Count(2)),Count(3)),OrFin(Rep(Count(5)),EOW())) DISC L100 EOW',
    'in 1 | in 2 | → EARLY#0/-1 {1,2}@999 | in 3 | → EARLY#1/-1 {3}@999 | in 4 | in 5 | in 6 | in 7 | → nothing | in 8 | → EARLY#2/-1 {4,5,6,7,8}@999 | in 9 | wm 1000 | → ON_TIME#3/0* {9}@999',
  ],
  [
    'TR08',
    'until keeps its count through the firings of the main part',
    'Fixed(100) OrFin(Rep(Count(2)),Count(3)) DISC L0 EOW',
    'in 1 | in 2 | → EARLY#0/-1 {1,2}@99 | in 3 | → EARLY#1/-1* {3}@99',
  ],
  [
    'TR08',
    'until that is ready first finishes the whole',
    'Fixed(100) OrFin(Rep(Count(5)),Count(3)) DISC L0 EOW',
    'in 1,2,3 | → EARLY#0/-1* {1,2,3}@99',
  ],
  [
    'TR09',
    'repeatedly starts its part over',
    'Fixed(100) Rep(First(PTime(15),Count(5))) DISC L0 EOW',
    'pt 0 | in 1,2,3,4,5 | → EARLY#0/-1 {1,2,3,4,5}@99 | pt 10 | in 6 | pt 16 | → nothing | pt 26 | → EARLY#1/-1 {6}@99',
  ],
  [
    'TR10',
    'the default fires at the end and then on every bundle',
    'Fixed(10) Default() DISC L100 EOW',
    'in 1,2 | wm 10 | → ON_TIME#0/0 {1,2}@9 | in 3,4 | → LATE#1/1 {3,4}@9 | in 5 | → LATE#2/2 {5}@9',
  ],
  [
    'TR10',
    'never leaves all to the expiry',
    'Fixed(10) Never() DISC L10 EOW',
    'in 1 | wm 15 | → nothing | in 2 | wm 19 | → nothing | wm 20 | → ON_TIME#0/0* {1,2}@9',
  ],

  [
    'W03',
    'sessions merge where they overlap',
    'Sessions(10) Default() DISC L0 EOW',
    'in 1,15,30,100,101,95,22,10 | wm +inf | → ON_TIME#0/0* {1,10,15,22,30}@39 [1,40) ; ON_TIME#0/0* {95,100,101}@110 [95,111)',
  ],
  [
    'W03',
    'sessions that only touch stay apart',
    'Sessions(10) Default() DISC L0 EOW',
    'in 0,10,101 | wm +inf | → ON_TIME#0/0* {0}@9 [0,10) ; ON_TIME#0/0* {10}@19 [10,20) ; ON_TIME#0/0* {101}@110 [101,111)',
  ],
  [
    'W04',
    'sliding windows group each element several times',
    'Sliding(5,3) Default() DISC L0 EOW',
    'in 1,4 | wm +inf | → ON_TIME#0/0* {1}@1 [-3,2) ; ON_TIME#0/0* {1,4}@4 [0,5) ; ON_TIME#0/0* {4}@7 [3,8)',
  ],
  [
    'W05',
    'sessions of one key',
    'Sessions(4) Default() DISC L0 EOW',
    'in 1,4 | in 9 | wm +inf | → ON_TIME#0/0* {1,4}@7 [1,8) ; ON_TIME#0/0* {9}@12 [9,13)',
  ],
  [
    'W06',
    'timestamps: end of window',
    'Fixed(600000) Default() DISC L0 EOW',
    'in 0,10 | wm +inf | → ON_TIME#0/0* {0,10}@599999',
  ],
  [
    'W06',
    'timestamps: earliest',
    'Fixed(600000) Default() DISC L0 EARLIEST',
    'in 10,0 | wm +inf | → ON_TIME#0/0* {0,10}@0',
  ],
  [
    'W06',
    'timestamps: latest',
    'Fixed(600000) Default() DISC L0 LATEST',
    'in 10,0 | wm +inf | → ON_TIME#0/0* {0,10}@10',
  ],
];

const HANDLINGS: readonly Handling[] = ['kept live', 'encoded after every step'];

describe.each(HANDLINGS)('the catalogue, state %s', (handling) => {
  const facts = FACTS.filter(([, , header]) => handling === 'kept live' || !header.includes('Manual'));
  it.each(facts)('%s: %s', (_id, _title, header, steps) => runScenario(header, steps, handling));
});

describe('beyond the catalogue', () => {
  it('a bundle that opens several late sessions at once gives what single bundles give (R13)', () => {
    const header = 'Sessions(10) Rep(EarlyLate(None,Count(3))) ACC L100 EOW';
    runScenario(header, 'wm 50 | in 1,5 | → LATE#0/0 {1,5}@14 [1,15)');
    runScenario(header, 'wm 50 | in 1 | → LATE#0/0 {1}@10 [1,11)');
  });

  it('a session that grows to the bounds of a closed one keeps its content', () => {
    const header = 'Sessions(10) Count(2) DISC L100 EOW';
    runScenario(
      header,
      'in 2,8 | → EARLY#0/-1* {2,8}@17 [2,18) | in 2 | ?drop late=0,closed=0 | in 8 | → EARLY#0/-1* {2,8}@17 [2,18)',
    );
  });

  it('sessions that were merged by an earlier grouping are taken as they come (W08)', () => {
    runScenario(
      'Merged(10) Default() DISC L0 EOW',
      'in 1,5 | wm +inf | → ON_TIME#0/0* {1}@10 [1,11) ; ON_TIME#0/0* {5}@14 [5,15)',
    );
  });

  it('an element whose own session has expired is late even where an open session overlaps it', () => {
    runScenario(
      'Sessions(10) Default() DISC L0 EOW',
      'in 8,16 | wm 15 | in 4 | ?drop late=1,closed=0 | wm +inf | → ON_TIME#0/0* {8,16}@25 [8,26)',
    );
  });

  it('the next part of afterEach waits until its window is asked: by elements, or by a timer that is due', () => {
    const header = 'Fixed(10) Each(First(Count(2),PTime(20)),EOW()) DISC L100 EOW';
    const untilEnd = 'wm 0 | pt 0 | in 1,2 | → EARLY#0/-1 {1,2}@9 | wm 10 | → nothing';
    runScenario(header, `${untilEnd} | in 3 | → LATE#1/0* {3}@9`);
    runScenario(header, `${untilEnd} | pt 20 | in 3 | → LATE#1/0* {3}@9`);
    runScenario(header, `${untilEnd} | pt 21 | → nothing | in 3 | ?drop late=0,closed=1`);
  });
});
