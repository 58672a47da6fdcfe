package millrace.beam;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.TimeDomain;
import org.apache.beam.sdk.state.Timer;
import org.apache.beam.sdk.state.TimerSpec;
import org.apache.beam.sdk.state.TimerSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;
import org.apache.beam.sdk.values.KV;
import org.joda.time.Duration;
import org.joda.time.Instant;

/** Does with its timers what elements and the case say, and emits a name for each callback with a count from its state. */
final class ScriptedDoFn extends DoFn<KV<String, String>, String> {
  /** A timer that has fired so often does nothing more. */
  private static final int MOST_FIRINGS = 4;

  private static final ObjectMapper MAPPER = new ObjectMapper();

  @StateId("elements")
  private final StateSpec<ValueState<Integer>> elements = StateSpecs.value(VarIntCoder.of());

  @StateId("firingsOfA")
  private final StateSpec<ValueState<Integer>> firingsOfA = StateSpecs.value(VarIntCoder.of());

  @StateId("firingsOfB")
  private final StateSpec<ValueState<Integer>> firingsOfB = StateSpecs.value(VarIntCoder.of());

  @StateId("firingsOfP")
  private final StateSpec<ValueState<Integer>> firingsOfP = StateSpecs.value(VarIntCoder.of());

  @TimerId("a")
  private final TimerSpec a = TimerSpecs.timer(TimeDomain.EVENT_TIME);

  @TimerId("b")
  private final TimerSpec b = TimerSpecs.timer(TimeDomain.EVENT_TIME);

  @TimerId("p")
  private final TimerSpec p = TimerSpecs.timer(TimeDomain.PROCESSING_TIME);

  private final String onTimer;
  private final long allowedLateness;

  ScriptedDoFn(JsonNode onTimer, long allowedLateness) {
    this.onTimer = onTimer.toString();
    this.allowedLateness = allowedLateness;
  }

  @ProcessElement
  public void process(
      @Element KV<String, String> element,
      @Timestamp Instant timestamp,
      BoundedWindow window,
      OutputReceiver<String> output,
      @StateId("elements") ValueState<Integer> elements,
      @TimerId("a") Timer a,
      @TimerId("b") Timer b,
      @TimerId("p") Timer p)
      throws IOException {
    JsonNode json = MAPPER.readTree(element.getValue());
    output.output("e" + json.get("value").asText() + "/" + next(elements));
    act(json.path("timers"), window, timestamp, a, b, p);
  }

  @OnTimer("a")
  public void onA(
      OnTimerContext context,
      @StateId("firingsOfA") ValueState<Integer> firings,
      @TimerId("a") Timer a,
      @TimerId("b") Timer b,
      @TimerId("p") Timer p)
      throws IOException {
    fired("a", context, firings, a, b, p);
  }

  @OnTimer("b")
  public void onB(
      OnTimerContext context,
      @StateId("firingsOfB") ValueState<Integer> firings,
      @TimerId("a") Timer a,
      @TimerId("b") Timer b,
      @TimerId("p") Timer p)
      throws IOException {
    fired("b", context, firings, a, b, p);
  }

  @OnTimer("p")
  public void onP(
      OnTimerContext context,
      @StateId("firingsOfP") ValueState<Integer> firings,
      @TimerId("a") Timer a,
      @TimerId("b") Timer b,
      @TimerId("p") Timer p)
      throws IOException {
    fired("p", context, firings, a, b, p);
  }

  @OnWindowExpiration
  public void onWindowExpiration(
      OutputReceiver<String> output, @StateId("elements") ValueState<Integer> elements) {
    output.output("x/" + elements.read());
  }

  private void fired(
      String id, OnTimerContext context, ValueState<Integer> firings, Timer a, Timer b, Timer p)
      throws IOException {
    int count = next(firings);
    context.output(id + count);
    if (count >= MOST_FIRINGS) return;
    act(MAPPER.readTree(onTimer).path(id), context.window(), context.timestamp(), a, b, p);
  }

  private void act(JsonNode actions, BoundedWindow window, Instant timestamp, Timer a, Timer b, Timer p) {
    for (JsonNode action : actions) {
      String id = action.get("timer").asText();
      Timer timer = id.equals("a") ? a : id.equals("b") ? b : p;
      if (action.has("clear")) {
        timer.clear();
        continue;
      }
      if (action.has("outputAfter")) {
        Instant wanted = timestamp.plus(Duration.millis(action.get("outputAfter").asLong()));
        Instant expiry = window.maxTimestamp().plus(Duration.millis(allowedLateness));
        timer = timer.withOutputTimestamp(wanted.isBefore(expiry) ? wanted : expiry);
      }
      if (action.has("at")) timer.set(startOf(window).plus(Duration.millis(action.get("at").asLong())));
      else timer.offset(Duration.millis(action.get("in").asLong())).setRelative();
    }
  }

  private static Instant startOf(BoundedWindow window) {
    return window instanceof IntervalWindow ? ((IntervalWindow) window).start() : new Instant(0);
  }

  private static int next(ValueState<Integer> state) {
    Integer before = state.read();
    int count = before == null ? 1 : before + 1;
    state.write(count);
    return count;
  }
}
