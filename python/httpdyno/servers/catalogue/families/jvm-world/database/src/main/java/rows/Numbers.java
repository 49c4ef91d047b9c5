package rows;

import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/** The numbers of TechEmpower's tests. */
public final class Numbers {
  private Numbers() {}

  /** A number from 1 to 10,000 at random. */
  public static int drawn() {
    return ThreadLocalRandom.current().nextInt(1, 10_001);
  }

  /** As many different ids at random as the text says, 1 to 500: an ORM reads no row twice. */
  public static IntStream ids(String queries) {
    int number = Math.min(Math.max(parsed(queries), 1), 500);
    return IntStream.generate(Numbers::drawn).distinct().limit(number);
  }

  private static int parsed(String queries) {
    try {
      return Integer.parseInt(queries);
    } catch (NumberFormatException error) {
      return 1;
    }
  }
}
