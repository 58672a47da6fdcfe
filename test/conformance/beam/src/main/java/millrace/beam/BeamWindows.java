package millrace.beam;

import com.fasterxml.jackson.databind.JsonNode;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.GlobalWindows;
import org.apache.beam.sdk.transforms.windowing.Sessions;
import org.apache.beam.sdk.transforms.windowing.SlidingWindows;
import org.apache.beam.sdk.transforms.windowing.TimestampCombiner;
import org.apache.beam.sdk.transforms.windowing.Window.ClosingBehavior;
import org.apache.beam.sdk.transforms.windowing.Window.OnTimeBehavior;
import org.apache.beam.sdk.transforms.windowing.WindowFn;
import org.apache.beam.sdk.values.WindowingStrategy;
import org.apache.beam.sdk.values.WindowingStrategy.AccumulationMode;
import org.joda.time.Duration;

/** A case's windows as Beam's windowing strategy; its trigger is given apart from it. */
final class BeamWindows {
  private BeamWindows() {}

  static WindowingStrategy<?, BoundedWindow> strategyOf(JsonNode json) {
    boolean accumulates = text(json, "accumulation", "discarding").equals("accumulating");
    boolean alwaysCloses = text(json, "closing", "ifNonEmpty").equals("always");
    boolean alwaysOnTime = text(json, "onTime", "always").equals("always");
    return WindowingStrategy.of(windowFnOf(json.get("window")))
        .withMode(
            accumulates ? AccumulationMode.ACCUMULATING_FIRED_PANES : AccumulationMode.DISCARDING_FIRED_PANES)
        .withAllowedLateness(Duration.millis(Ends.toBeam(json.path("allowedLateness").asLong(0))))
        .withTimestampCombiner(combinerOf(text(json, "timestampCombiner", "endOfWindow")))
        .withClosingBehavior(alwaysCloses ? ClosingBehavior.FIRE_ALWAYS : ClosingBehavior.FIRE_IF_NON_EMPTY)
        .withOnTimeBehavior(alwaysOnTime ? OnTimeBehavior.FIRE_ALWAYS : OnTimeBehavior.FIRE_IF_NON_EMPTY);
  }

  @SuppressWarnings("unchecked")
  static WindowFn<Object, BoundedWindow> windowFnOf(JsonNode json) {
    Duration offset = Duration.millis(json.path("offset").asLong(0));
    WindowFn<?, ?> windowFn;
    switch (json.get("type").asText()) {
      case "fixed":
        windowFn = FixedWindows.of(millis(json, "size")).withOffset(offset);
        break;
      case "sliding":
        windowFn = SlidingWindows.of(millis(json, "size")).every(millis(json, "period")).withOffset(offset);
        break;
      case "sessions":
        windowFn = Sessions.withGapDuration(millis(json, "gap"));
        break;
      case "global":
        windowFn = new GlobalWindows();
        break;
      default:
        throw new IllegalArgumentException("window.type: " + json);
    }
    return (WindowFn<Object, BoundedWindow>) windowFn;
  }

  private static TimestampCombiner combinerOf(String name) {
    switch (name) {
      case "earliest":
        return TimestampCombiner.EARLIEST;
      case "latest":
        return TimestampCombiner.LATEST;
      default:
        return TimestampCombiner.END_OF_WINDOW;
    }
  }

  private static Duration millis(JsonNode json, String field) {
    return Duration.millis(json.get(field).asLong());
  }

  private static String text(JsonNode json, String field, String otherwise) {
    return json.path(field).asText(otherwise);
  }
}
