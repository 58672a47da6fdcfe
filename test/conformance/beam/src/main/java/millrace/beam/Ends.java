package millrace.beam;

import org.apache.beam.sdk.transforms.windowing.BoundedWindow;

/**
 * The ends of time. Cases have those of JavaScript's dates, which fit a number; what is within the last century of them
 * stands for what is as far from Beam's.
 */
final class Ends {
  private static final long END = 8_640_000_000_000_000L;
  private static final long CENTURY = 3_155_760_000_000L;
  private static final long SHIFT = BoundedWindow.TIMESTAMP_MAX_VALUE.getMillis() - END;

  private Ends() {}

  static long toBeam(long millis) {
    return millis > END - CENTURY ? millis + SHIFT : millis;
  }

  static long fromBeam(long millis) {
    return millis > END + SHIFT - CENTURY ? millis - SHIFT : millis;
  }
}
