package dev.plumb.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.server.schedule.QueryScheduler;
import dev.plumb.testing.ExternalTools;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsTest {
  @TempDir Path folder;

  @Test
  void speaksTlsWithPemFiles() throws Exception {
    Path openssl = ExternalTools.need("openssl");
    Path curl = ExternalTools.need("curl");
    for (String kind : List.of("rsa:2048", "ec -pkeyopt ec_paramgen_curve:P-256")) {
      Path key = folder.resolve("key.pem");
      Path certificate = folder.resolve("cert.pem");
      List<Object> command =
          new java.util.ArrayList<>(List.of(openssl, "req", "-x509", "-nodes", "-days", "2"));
      command.add("-newkey");
      command.addAll(List.of(kind.split(" ")));
      command.addAll(
          List.of(
              "-subj",
              "/CN=localhost",
              "-addext",
              "subjectAltName=DNS:localhost",
              "-keyout",
              key,
              "-out",
              certificate));
      ExternalTools.run(command.toArray());
      ServerOptions options = ServerOptions.LOCAL.listen("127.0.0.1:0").withTls(certificate, key);
      try (PlumbServer server = PlumbServer.start(options, new QueryScheduler(), List.of())) {
        for (String version : List.of("--http1.1", "--http2")) {
          String answer =
              ExternalTools.run(
                  curl,
                  "-sS",
                  version,
                  "--cacert",
                  certificate,
                  "-w",
                  "%{http_version}",
                  "https://localhost:" + server.port() + "/ready");
          assertThat(answer).isEqualTo("ready\n" + version.substring(6));
        }
      }
    }
  }

  @Test
  void wrongFilesAreToldWithARemedy() throws Exception {
    Path nothing = Files.writeString(folder.resolve("nothing.pem"), "nothing");
    Path missing = folder.resolve("missing.pem");
    ServerOptions local = ServerOptions.LOCAL.listen("127.0.0.1:0");
    assertThatThrownBy(
            () ->
                PlumbServer.start(local.withTls(missing, missing), new QueryScheduler(), List.of()))
        .isInstanceOf(ServerException.class)
        .hasMessageContaining("missing.pem");
    assertThatThrownBy(
            () ->
                PlumbServer.start(local.withTls(nothing, nothing), new QueryScheduler(), List.of()))
        .isInstanceOf(ServerException.class)
        .hasMessageContaining("nothing.pem");
  }
}
