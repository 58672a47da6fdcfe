/**
 * Departures by airport and hour, from real and badly out-of-order events: the flights of the United States in the first
 * half of 2001 (Bureau of Transportation Statistics, as shipped by vega-datasets).
 *
 * An event happens at the flight's scheduled departure and arrives `delay` minutes later, so nearly every event is out of
 * order. Panes come every ten minutes while the hour fills, when the watermark says that it is complete, and again for each
 * flight that comes later.
 */
import { z } from 'zod';
import {
  afterCount,
  afterProcessingTime,
  afterWatermark,
  boundedOutOfOrderness,
  combineFields,
  count,
  fixedWindows,
  max,
  mean,
  pipeline,
  utc,
} from '../index.ts';

const Flight = z.object({
  /** The scheduled departure, UTC. */
  date: z.union([z.string(), z.number()]),
  /** Minutes; negative when early. */
  delay: z.number(),
  distance: z.number(),
  origin: z.string(),
  destination: z.string(),
});
type Flight = z.infer<typeof Flight>;

const scheduled = ({ date }: Flight): number => (typeof date === 'number' ? date : utc(date));
const arrived = (flight: Flight): number => scheduled(flight) + flight.delay * 60_000;

export default pipeline('flights', (p) => {
  p.readPubSub('flights', {
    schema: Flight,
    eventTime: scheduled,
    arrivalTime: arrived,
    watermark: boundedOutOfOrderness('1h'),
  })
    .keyBy('by-airport', (flight) => flight.origin)
    .window('hourly', fixedWindows('1h'), {
      trigger: afterWatermark({ early: afterProcessingTime('10m'), late: afterCount(1) }),
      allowedLateness: '6h',
      accumulation: 'accumulating',
    })
    .combinePerKey(
      'delays',
      combineFields({
        flights: count(),
        mean_delay: mean((flight: Flight) => flight.delay),
        max_delay: max((flight: Flight) => flight.delay),
      }),
    )
    .writeBigQuery('departures', {
      table: 'departures_by_airport',
      columns: {
        airport: 'STRING',
        window_start: 'TIMESTAMP',
        window_end: 'TIMESTAMP',
        flights: 'INT64',
        mean_delay: 'FLOAT64 NULL',
        max_delay: 'INT64 NULL',
        pane_timing: 'STRING',
        pane_index: 'INT64',
      },
      key: ['airport', 'window_start'],
      partitionBy: 'window_start',
      row: ({ key, value }, { window, pane }) => ({
        airport: key,
        window_start: window.start,
        window_end: window.end,
        flights: value.flights,
        mean_delay: value.mean_delay,
        max_delay: value.max_delay,
        pane_timing: pane.timing,
        pane_index: pane.index,
      }),
    });
});
