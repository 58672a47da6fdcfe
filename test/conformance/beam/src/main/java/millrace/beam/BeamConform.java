package millrace.beam;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/**
 * As `millrace conform`, but with Apache Beam: cases on standard input, one a line; results on standard output. Whoever
 * waits for an answer before asking again gets it.
 */
public final class BeamConform {
  private BeamConform() {}

  public static void main(String[] arguments) throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintWriter out =
        new PrintWriter(new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8)));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (!line.isBlank()) out.println(mapper.writeValueAsString(resultOf(mapper, mapper.readTree(line))));
      if (!lines.ready()) out.flush();
    }
    out.flush();
  }

  private static ObjectNode resultOf(ObjectMapper mapper, JsonNode json) {
    ObjectNode result = mapper.createObjectNode();
    result.set("id", json.get("id"));
    try {
      result.set("steps", BeamCase.run(mapper, json));
    } catch (Exception | AssertionError error) {
      result
          .putObject("error")
          .put("name", error.getClass().getSimpleName())
          .put("message", error.getMessage());
    }
    return result;
  }
}
