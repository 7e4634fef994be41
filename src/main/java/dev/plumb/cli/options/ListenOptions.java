package dev.plumb.cli.options;

import dev.plumb.cli.text.Stderr;
import dev.plumb.cli.text.Terminal;
import dev.plumb.server.ServerException;
import dev.plumb.server.ServerOptions;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import picocli.CommandLine.Option;

/** Where the server listens, and who may send requests. */
public final class ListenOptions {
  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      description =
          "Address to listen on (default 127.0.0.1:4040). Beyond loopback, every request needs a token.")
  String listen = "";

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "File with the token; created at the first start if it does not exist.")
  String tokenFile = "";

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description = "The server's certificate chain, in PEM.")
  String certificate = "";

  @Option(names = "--tls-key", paramLabel = "FILE", description = "Its private key, in PEM.")
  String key = "";

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "Another name by which clients reach this machine.")
  List<String> names = List.of();

  /** Creates a token if one is needed and there is none. */
  public ServerOptions options(Path stateFolder) {
    ServerOptions options =
        listen.isEmpty() ? ServerOptions.LOCAL : ServerOptions.LOCAL.listen(listen);
    options = options.withNames(names);
    if (!tokenFile.isEmpty() || !options.isLoopback()) {
      options =
          options.withToken(
              token(tokenFile.isEmpty() ? stateFolder.resolve("token") : Path.of(tokenFile)));
    }
    if (!certificate.isEmpty() || !key.isEmpty()) {
      if (certificate.isEmpty() || key.isEmpty()) {
        throw new IllegalArgumentException("TLS needs both --tls-cert and --tls-key, in PEM");
      }
      options = options.withTls(Path.of(certificate), Path.of(key));
    }
    return options;
  }

  private static String token(Path file) {
    try {
      byte[] random = new byte[16];
      new SecureRandom().nextBytes(random);
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.createFile(file, PosixFilePermissions.asFileAttribute(Secrets.OWNER_ONLY));
      Files.writeString(file, HexFormat.of().formatHex(random) + "\n");
      // The output of a service goes to a journal, which others may read.
      String shown = Terminal.isStandardError() ? ": " + Files.readString(file).strip() : "";
      Stderr.say("the token is in " + file + shown);
    } catch (FileAlreadyExistsException e) {
      // clients know this token already
    } catch (IOException e) {
      throw new ServerException(
          "cannot create a token in %s (%s); choose a file with --token-file"
              .formatted(file, e.getMessage()),
          e);
    }
    return Secrets.read(file, "token");
  }
}
