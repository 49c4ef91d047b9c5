package pages;

import io.micronaut.runtime.Micronaut;

/** Starts Micronaut, as its guide writes it. */
public class Application {
  public static void main(String[] args) {
    Micronaut.build(args).banner(false).mainClass(Application.class).start();
  }
}
