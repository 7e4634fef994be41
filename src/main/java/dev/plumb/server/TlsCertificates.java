package dev.plumb.server;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** Reads a private key and its certificate chain from PEM files. */
final class TlsCertificates {
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN ([A-Z ]*)PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END");

  private TlsCertificates() {}

  static SSLContext context(Path certificate, Path key) {
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      byte[] chainBytes = Files.readAllBytes(certificate);
      Certificate[] chain =
          factory
              .generateCertificates(new ByteArrayInputStream(chainBytes))
              .toArray(new Certificate[0]);
      if (chain.length == 0) {
        throw new ServerException("%s contains no certificate in PEM".formatted(certificate));
      }
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      char[] none = new char[0];
      store.setKeyEntry("plumb", key(key), none, chain);
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(store, none);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), null, null);
      return context;
    } catch (IOException e) {
      throw new ServerException(
          "cannot read the TLS files: %s; give PEM files that Plumb may read"
              .formatted(e.getMessage()),
          e);
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new ServerException(
          "%s and %s are not a certificate and its private key: %s"
              .formatted(certificate, key, e.getMessage()),
          e);
    }
  }

  private static PrivateKey key(Path file) throws IOException, GeneralSecurityException {
    Matcher matcher =
        KEY.matcher(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
    if (!matcher.find() || !matcher.group(1).isEmpty()) {
      throw new ServerException(
          "%s is not an unencrypted PKCS #8 key; convert it: openssl pkcs8 -topk8 -nodes -in KEY -out %s"
              .formatted(file, "KEY.pem"));
    }
    byte[] der = Base64.getMimeDecoder().decode(matcher.group(2));
    GeneralSecurityException last = new GeneralSecurityException("unknown key type");
    for (String kind : new String[] {"RSA", "EC", "Ed25519"}) {
      try {
        return KeyFactory.getInstance(kind).generatePrivate(new PKCS8EncodedKeySpec(der));
      } catch (GeneralSecurityException e) {
        last = e;
      }
    }
    throw last;
  }
}
