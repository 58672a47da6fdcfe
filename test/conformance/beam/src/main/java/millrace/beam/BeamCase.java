package millrace.beam;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Closeable;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.runners.core.LateDataDroppingDoFnRunner;
import org.apache.beam.runners.core.ReduceFnRunner;
import org.apache.beam.runners.core.ReduceFnTester;
import org.apache.beam.runners.core.metrics.MetricsContainerImpl;
import org.apache.beam.sdk.metrics.MetricName;
import org.apache.beam.sdk.metrics.MetricsEnvironment;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;
import org.apache.beam.sdk.transforms.windowing.PaneInfo;
import org.apache.beam.sdk.transforms.windowing.SlidingWindows;
import org.apache.beam.sdk.values.TimestampedValue;
import org.apache.beam.sdk.values.WindowedValue;
import org.apache.beam.sdk.values.WindowingStrategy;
import org.joda.time.Instant;

/** Runs one case through Beam's ReduceFnRunner, one step after the other. */
final class BeamCase {
  private static final MetricName LATE =
      MetricName.named(LateDataDroppingDoFnRunner.class, LateDataDroppingDoFnRunner.DROPPED_DUE_TO_LATENESS);
  private static final MetricName CLOSED =
      MetricName.named(ReduceFnRunner.class, ReduceFnRunner.DROPPED_DUE_TO_CLOSED_WINDOW);

  private final ObjectMapper mapper;
  private final ReduceFnTester<Integer, Iterable<Integer>, BoundedWindow> tester;
  private final Object windowFn;
  private final MetricsContainerImpl metrics = new MetricsContainerImpl("case");
  /** Beam is given the place of a value in this list. */
  private final List<JsonNode> values = new ArrayList<>();

  private BeamCase(ObjectMapper mapper, JsonNode json) throws Exception {
    this.mapper = mapper;
    WindowingStrategy<?, BoundedWindow> strategy = BeamWindows.strategyOf(json);
    this.windowFn = strategy.getWindowFn();
    this.tester = ReduceFnTester.nonCombining(strategy, BeamTriggers.machineOf(json.get("trigger")));
  }

  /** One result for each step that is an action. */
  static ArrayNode run(ObjectMapper mapper, JsonNode json) throws Exception {
    BeamCase one = new BeamCase(mapper, json);
    ArrayNode results = mapper.createArrayNode();
    try (Closeable scope = MetricsEnvironment.scopedMetricsContainer(one.metrics)) {
      for (JsonNode step : json.get("steps")) {
        if (one.act(step)) results.add(one.result());
      }
    }
    return results;
  }

  private boolean act(JsonNode step) throws Exception {
    if (step.has("input")) tester.injectElements(elementsOf(step.get("input")));
    else if (step.has("watermark")) tester.advanceInputWatermark(watermarkOf(step.get("watermark")));
    else if (step.has("processingTime")) tester.advanceProcessingTime(new Instant(step.get("processingTime").asLong()));
    else return false;
    return true;
  }

  private List<TimestampedValue<Integer>> elementsOf(JsonNode input) {
    List<TimestampedValue<Integer>> elements = new ArrayList<>();
    for (JsonNode element : input) {
      Instant timestamp = new Instant(element.get("timestamp").asLong());
      if (isInAWindow(timestamp)) elements.add(TimestampedValue.of(values.size(), timestamp));
      values.add(element.get("value"));
    }
    return elements;
  }

  /** What falls between sliding windows is left out: Beam takes no element that has no window. */
  private boolean isInAWindow(Instant timestamp) {
    return !(windowFn instanceof SlidingWindows) || !((SlidingWindows) windowFn).assignWindows(timestamp).isEmpty();
  }

  private static Instant watermarkOf(JsonNode json) {
    return json.isTextual() ? BoundedWindow.TIMESTAMP_MAX_VALUE : new Instant(json.asLong());
  }

  private ObjectNode result() {
    ObjectNode result = mapper.createObjectNode();
    ArrayNode panes = result.putArray("panes");
    for (WindowedValue<Iterable<Integer>> output : tester.extractOutput()) panes.add(paneOf(output));
    result.putObject("dropped").put("late", count(LATE)).put("closed", count(CLOSED));
    Instant hold = tester.getWatermarkHold();
    if (hold == null) result.putNull("hold");
    else result.put("hold", Ends.fromBeam(hold.getMillis()));
    return result;
  }

  private ObjectNode paneOf(WindowedValue<Iterable<Integer>> output) {
    ObjectNode pane = mapper.createObjectNode();
    BoundedWindow window = output.getWindows().iterator().next();
    if (window instanceof IntervalWindow) {
      IntervalWindow interval = (IntervalWindow) window;
      pane.putArray("window").add(interval.start().getMillis()).add(interval.end().getMillis());
    } else pane.put("window", "global");
    ArrayNode content = pane.putArray("values");
    for (int place : output.getValue()) content.add(values.get(place));
    if (window instanceof IntervalWindow) pane.put("timestamp", output.getTimestamp().getMillis());
    PaneInfo info = output.getPaneInfo();
    return pane.put("timing", info.getTiming().name())
        .put("index", info.getIndex())
        .put("nonSpeculativeIndex", info.getNonSpeculativeIndex())
        .put("isFirst", info.isFirst())
        .put("isLast", info.isLast());
  }

  private long count(MetricName name) {
    return metrics.getCounter(name).getCumulative();
  }
}
