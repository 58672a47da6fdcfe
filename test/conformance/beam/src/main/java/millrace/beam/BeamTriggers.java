package millrace.beam;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.model.pipeline.v1.RunnerApi.TimestampTransform;
import org.apache.beam.model.pipeline.v1.RunnerApi.Trigger;
import org.apache.beam.runners.core.triggers.TriggerStateMachine;
import org.apache.beam.runners.core.triggers.TriggerStateMachines;

/**
 * A case's trigger as Beam's state machine. It goes by way of Beam's portable form, which takes what the classes for
 * authors would refuse.
 */
final class BeamTriggers {
  private BeamTriggers() {}

  static TriggerStateMachine machineOf(JsonNode json) {
    return TriggerStateMachines.stateMachineForTrigger(triggerOf(json));
  }

  private static Trigger triggerOf(JsonNode json) {
    Trigger.Builder trigger = Trigger.newBuilder();
    String type = json.get("type").asText();
    switch (type) {
      case "default":
        return trigger.setDefault(Trigger.Default.getDefaultInstance()).build();
      case "never":
        return trigger.setNever(Trigger.Never.getDefaultInstance()).build();
      case "afterCount":
        return trigger
            .setElementCount(Trigger.ElementCount.newBuilder().setElementCount(json.get("count").asInt()))
            .build();
      case "afterProcessingTime":
        return trigger.setAfterProcessingTime(delayOf(json.get("delay").asLong())).build();
      case "afterWatermark":
        return trigger.setAfterEndOfWindow(endOfWindowOf(json)).build();
      case "repeatedly":
        return trigger
            .setRepeat(Trigger.Repeat.newBuilder().setSubtrigger(triggerOf(json.get("trigger"))))
            .build();
      case "afterFirst":
        return trigger.setAfterAny(Trigger.AfterAny.newBuilder().addAllSubtriggers(partsOf(json))).build();
      case "afterAll":
        return trigger.setAfterAll(Trigger.AfterAll.newBuilder().addAllSubtriggers(partsOf(json))).build();
      case "afterEach":
        return trigger.setAfterEach(Trigger.AfterEach.newBuilder().addAllSubtriggers(partsOf(json))).build();
      case "orFinally":
        return trigger
            .setOrFinally(
                Trigger.OrFinally.newBuilder()
                    .setMain(triggerOf(json.get("trigger")))
                    .setFinally(triggerOf(json.get("until"))))
            .build();
      default:
        throw new IllegalArgumentException("trigger.type: " + type);
    }
  }

  private static Trigger.AfterProcessingTime delayOf(long millis) {
    TimestampTransform.Delay delay = TimestampTransform.Delay.newBuilder().setDelayMillis(millis).build();
    return Trigger.AfterProcessingTime.newBuilder()
        .addTimestampTransforms(TimestampTransform.newBuilder().setDelay(delay))
        .build();
  }

  private static Trigger.AfterEndOfWindow endOfWindowOf(JsonNode json) {
    Trigger.AfterEndOfWindow.Builder builder = Trigger.AfterEndOfWindow.newBuilder();
    boolean hasEarly = json.hasNonNull("early");
    boolean hasLate = json.hasNonNull("late");
    if (hasEarly) builder.setEarlyFirings(triggerOf(json.get("early")));
    // As Beam's own translation does, where an author names late firings only.
    else if (hasLate) builder.setEarlyFirings(Trigger.newBuilder().setNever(Trigger.Never.getDefaultInstance()));
    if (hasLate) builder.setLateFirings(triggerOf(json.get("late")));
    return builder.build();
  }

  private static List<Trigger> partsOf(JsonNode json) {
    List<Trigger> parts = new ArrayList<>();
    for (JsonNode part : json.get("triggers")) parts.add(triggerOf(part));
    return parts;
  }
}
