package millrace.beam;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.beam.runners.direct.DirectOptions;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.testing.TestStream;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.TimestampedValue;
import org.joda.time.Duration;
import org.joda.time.Instant;

/**
 * Runs cases of a stateful DoFn with timers on Beam's direct runner, under a TestStream: cases on standard input, one a line;
 * of each step what was emitted, on standard output.
 */
public final class TimersConform {
  private static final String MARK = "mark";
  private static final Duration LONGEST = Duration.standardMinutes(2);
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** What has come out, with a mark after each step: the runner is in this process, and runs one case at a time. */
  private static final List<String> SEEN = Collections.synchronizedList(new ArrayList<>());

  private TimersConform() {}

  public static void main(String[] arguments) throws IOException {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      JsonNode json = MAPPER.readTree(line);
      ObjectNode result = MAPPER.createObjectNode();
      result.set("id", json.get("id"));
      run(json);
      result.set("steps", steps());
      System.out.println(MAPPER.writeValueAsString(result));
    }
    System.exit(0);
  }

  private static void run(JsonNode json) {
    SEEN.clear();
    DirectOptions options = PipelineOptionsFactory.create().as(DirectOptions.class);
    options.setTargetParallelism(1);
    options.setBlockOnRun(false);
    Pipeline pipeline = Pipeline.create(options);
    pipeline
        .apply(streamOf(json.get("steps")))
        .apply("marks", ParDo.of(new TakeMarks()))
        .apply(
            Window.<KV<String, String>>into(BeamWindows.windowFnOf(json.get("window")))
                .withAllowedLateness(Duration.millis(json.get("allowedLateness").asLong()))
                .discardingFiredPanes())
        .apply("scripted", ParDo.of(new ScriptedDoFn(json.get("onTimer"), json.get("allowedLateness").asLong())))
        .apply("see", ParDo.of(new See()));
    if (pipeline.run().waitUntilFinish(LONGEST) == null) throw new IllegalStateException("does not end: " + json);
  }

  private static TestStream<KV<String, String>> streamOf(JsonNode steps) {
    Instant now = new Instant(0);
    TestStream.Builder<KV<String, String>> stream =
        TestStream.create(KvCoder.of(StringUtf8Coder.of(), StringUtf8Coder.of()))
            .advanceProcessingTime(new Duration(BoundedWindow.TIMESTAMP_MIN_VALUE, now));
    for (JsonNode step : steps) {
      if (step.has("input")) {
        List<TimestampedValue<KV<String, String>>> elements = new ArrayList<>();
        for (JsonNode element : step.get("input")) {
          Instant timestamp = new Instant(element.get("timestamp").asLong());
          elements.add(TimestampedValue.of(KV.of("key", element.toString()), timestamp));
        }
        stream = stream.addElements(elements.get(0), othersOf(elements));
      } else if (step.has("watermark")) {
        stream = stream.advanceWatermarkTo(new Instant(step.get("watermark").asLong()));
      } else {
        Instant later = new Instant(step.get("processingTime").asLong());
        stream = stream.advanceProcessingTime(new Duration(now, later));
        now = later;
      }
      stream = stream.addElements(TimestampedValue.of(KV.of(MARK, ""), new Instant(0)));
    }
    return stream.advanceWatermarkToInfinity();
  }

  @SuppressWarnings("unchecked")
  private static TimestampedValue<KV<String, String>>[] othersOf(List<TimestampedValue<KV<String, String>>> elements) {
    return elements.subList(1, elements.size()).toArray(new TimestampedValue[0]);
  }

  /** A list of texts for each step, and one for the end of the input. */
  private static ArrayNode steps() {
    ArrayNode steps = MAPPER.createArrayNode();
    ArrayNode step = steps.addArray();
    for (String text : SEEN) {
      if (text.equals(MARK)) step = steps.addArray();
      else step.add(text);
    }
    return steps;
  }

  private static final class TakeMarks extends DoFn<KV<String, String>, KV<String, String>> {
    @ProcessElement
    public void process(@Element KV<String, String> element, OutputReceiver<KV<String, String>> output) {
      if (element.getKey().equals(MARK)) SEEN.add(MARK);
      else output.output(element);
    }
  }

  private static final class See extends DoFn<String, Void> {
    @ProcessElement
    public void process(@Element String text, @Timestamp Instant timestamp, BoundedWindow window) {
      String where = "global";
      if (window instanceof IntervalWindow) {
        IntervalWindow interval = (IntervalWindow) window;
        where = "[" + interval.start().getMillis() + "," + interval.end().getMillis() + ")";
      }
      SEEN.add(text + "@" + Ends.fromBeam(timestamp.getMillis()) + " " + where);
    }
  }
}
