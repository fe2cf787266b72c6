/**
 * Java of the witness. It is an agent of the machine: JUnit 5 finds its listener as a service, and JUnit 4's notifier of listeners gets a list that
 * already holds it. All of it is compiled when environments are built, against the few types of JUnit below, so a project may have any version.
 */

/** Types of JUnit with the members that the witness uses; they are not packed. */
const TYPES: Readonly<Record<string, string>> = {
  'org/junit/runner/Description':
    'public class Description { public native String getClassName(); public native String getMethodName(); public native String getDisplayName(); public native boolean isTest(); }',
  'org/junit/runner/Result': 'public class Result { }',
  'org/junit/runner/JUnitCore':
    'public class JUnitCore { public static native Result runClasses(Class<?>... classes); }',
  'org/junit/runner/notification/Failure':
    'public class Failure { public native org.junit.runner.Description getDescription(); }',
  'org/junit/runner/notification/RunListener': `public class RunListener {
  public void testRunStarted(org.junit.runner.Description description) throws Exception { }
  public void testRunFinished(org.junit.runner.Result result) throws Exception { }
  public void testStarted(org.junit.runner.Description description) throws Exception { }
  public void testFinished(org.junit.runner.Description description) throws Exception { }
  public void testFailure(Failure failure) throws Exception { }
  public void testAssumptionFailure(Failure failure) { }
  public void testIgnored(org.junit.runner.Description description) throws Exception { }
}`,
  'org/junit/Test':
    '@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) public @interface Test { }',
  'org/junit/Assert':
    'public class Assert { public static native void assertEquals(long expected, long actual); }',
  'org/junit/jupiter/api/Test':
    '@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) public @interface Test { }',
  'org/junit/jupiter/api/Assertions':
    'public class Assertions { public static native void assertEquals(int expected, int actual); }',
  'org/junit/platform/engine/TestSource': 'public interface TestSource { }',
  'org/junit/platform/engine/support/descriptor/MethodSource':
    'public final class MethodSource implements org.junit.platform.engine.TestSource { public native String getClassName(); public native String getMethodName(); }',
  'org/junit/platform/engine/TestExecutionResult':
    'public class TestExecutionResult { public enum Status { SUCCESSFUL, ABORTED, FAILED } public native Status getStatus(); }',
  'org/junit/platform/engine/DiscoverySelector': 'public interface DiscoverySelector { }',
  'org/junit/platform/engine/discovery/ClassSelector':
    'public class ClassSelector implements org.junit.platform.engine.DiscoverySelector { }',
  'org/junit/platform/engine/discovery/DiscoverySelectors':
    'public final class DiscoverySelectors { public static native ClassSelector selectClass(Class<?> type); }',
  'org/junit/platform/launcher/TestPlan': 'public class TestPlan { }',
  'org/junit/platform/launcher/TestIdentifier':
    'public final class TestIdentifier { public native boolean isTest(); public native String getUniqueId(); public native String getDisplayName(); public native String getLegacyReportingName(); public native java.util.Optional<org.junit.platform.engine.TestSource> getSource(); }',
  'org/junit/platform/launcher/TestExecutionListener': `public interface TestExecutionListener {
  default void testPlanExecutionStarted(TestPlan plan) { }
  default void testPlanExecutionFinished(TestPlan plan) { }
  default void executionSkipped(TestIdentifier test, String reason) { }
  default void executionStarted(TestIdentifier test) { }
  default void executionFinished(TestIdentifier test, org.junit.platform.engine.TestExecutionResult result) { }
}`,
  'org/junit/platform/launcher/LauncherDiscoveryRequest': 'public interface LauncherDiscoveryRequest { }',
  'org/junit/platform/launcher/Launcher':
    'public interface Launcher { void execute(LauncherDiscoveryRequest request, TestExecutionListener... listeners); }',
  'org/junit/platform/launcher/core/LauncherFactory':
    'public class LauncherFactory { public static native org.junit.platform.launcher.Launcher create(); }',
  'org/junit/platform/launcher/core/LauncherDiscoveryRequestBuilder':
    'public final class LauncherDiscoveryRequestBuilder { public static native LauncherDiscoveryRequestBuilder request(); public native LauncherDiscoveryRequestBuilder selectors(org.junit.platform.engine.DiscoverySelector... selectors); public native org.junit.platform.launcher.LauncherDiscoveryRequest build(); }',
};

/** A list in JUnit 4's notifier, by the class whose place it takes. */
const LISTENERS: Readonly<Record<string, string>> = {
  Listeners: 'java.util.concurrent.CopyOnWriteArrayList',
  OldListeners: 'java.util.ArrayList',
};

function listClass(name: string): string {
  return `public class ${name} extends ${LISTENERS[name]}<Object> {
  public ${name}() { if (Witness.isOn()) super.add(new Listener4()); }
  public ${name}(java.util.Collection<?> all) { super(all); }
  @Override public boolean remove(Object one) { return !(one instanceof Listener4) && super.remove(one); }
}`;
}

const OWN: Readonly<Record<string, string>> = {
  Witness: `
import java.io.*;
import java.lang.instrument.*;
import java.nio.charset.StandardCharsets;
import java.security.*;
import java.util.*;
import java.util.regex.Pattern;

public final class Witness implements ClassFileTransformer {
  private static final Pattern PACKAGES = Pattern.compile(
    "(?:org/junit|junit/framework|junit/extensions|junit/runner|org/hamcrest|org/assertj|org/opentest4j|org/mockito|com/google/common/truth|org/apache/maven/surefire)/.*");
  static String folder, secret;
  private static FileOutputStream file;
  private static final Map<Object, Integer> NUMBERS = new HashMap<>();
  private static int last;
  private static final Set<String> MODIFIED = new HashSet<>();
  /** Names of types that tests have without naming them in an import: of Java itself, or by a star. */
  private static final Set<String> IMPORTED = new HashSet<>(Arrays.asList("Assert", "Assertions", "Assume", "Assumptions", "MatcherAssert",
    "Matchers", "CoreMatchers", "Truth", "Mockito", "Object", "Objects", "String", "Integer", "Long", "Double", "Boolean", "Character", "Math",
    "Throwable", "AssertionError", "Arrays", "Collections", "List", "Optional"));
  private static final Set<String> NAMESAKES = new HashSet<>();
  private static final Set<String> TESTED = new HashSet<>();
  static final ThreadLocal<Boolean> CANARY = new InheritableThreadLocal<>();

  public static void premain(String given, Instrumentation machine) {
    int at = given.indexOf(':');
    secret = given.substring(0, at);
    folder = given.substring(at + 1);
    machine.addTransformer(new Witness());
  }

  static boolean isOn() { return folder != null; }

  @Override public byte[] transform(ClassLoader loader, String name, Class<?> old, ProtectionDomain domain, byte[] code) {
    if (name == null) return null;
    CodeSource source = domain == null ? null : domain.getCodeSource();
    String place = source == null || source.getLocation() == null ? "" : source.getLocation().getPath();
    if (place.endsWith("/") && IMPORTED.contains(name.substring(name.lastIndexOf('/') + 1))) namesake(name.replace('/', '.'));
    if (old == null && place.endsWith("/") && loader != null && loader == ClassLoader.getSystemClassLoader()) alone(loader, name, place);
    if (!PACKAGES.matcher(name).matches()) return null;
    if (old != null) modified("class " + name + " while it is in use");
    if (!place.endsWith(".jar")) modified("class " + name + " from " + (place.isEmpty() ? "elsewhere" : place));
    if (!name.equals("org/junit/runner/notification/RunNotifier")) return null;
    try {
      byte[] found = withName(code, "java/util/concurrent/CopyOnWriteArrayList", "swemake/Listeners");
      return found != null ? found : withName(code, "java/util/ArrayList", "swemake/OldListeners");
    } catch (IOException error) {
      return null;
    }
  }

  /** A class of a folder may stand before one that tests are to have: a jar's, or another module's. */
  private static void alone(ClassLoader loader, String name, String place) {
    try {
      for (java.net.URL other : Collections.list(loader.getResources(name + ".class"))) {
        String path = other.getPath().replaceFirst("^file:", "");
        String from = path.substring(0, Math.max(0, path.length() - name.length() - 6));
        if (!from.equals(place)) modified("classes of " + place + " that are in " + from + " as well");
      }
    } catch (IOException error) {
      modified("classes of " + place + " that cannot be looked for");
    }
  }

  /** The class file with another name in its constants; null: it does not have the name. */
  private static byte[] withName(byte[] code, String from, String to) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(code));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeInt(in.readInt());
    out.writeInt(in.readInt());
    int count = in.readUnsignedShort();
    out.writeShort(count);
    boolean isThere = false;
    for (int index = 1; index < count; index += 1) {
      int tag = in.readUnsignedByte();
      out.writeByte(tag);
      if (tag == 1) {
        String text = in.readUTF();
        isThere |= text.equals(from);
        out.writeUTF(text.equals(from) ? to : text);
        continue;
      }
      int size = tag == 15 ? 3 : tag == 5 || tag == 6 ? 8 : tag == 7 || tag == 8 || tag == 16 || tag == 19 || tag == 20 ? 2 : 4;
      byte[] rest = new byte[size];
      in.readFully(rest);
      out.write(rest);
      if (size == 8) index += 1;
    }
    byte[] body = new byte[in.available()];
    in.readFully(body);
    out.write(body);
    return isThere ? bytes.toByteArray() : null;
  }

  static synchronized void modified(String label) {
    if (!MODIFIED.add(label)) return;
    if (file != null) write("modified", 0, label);
  }

  /** In the package of a test, a type stands before what the test imports by a star. */
  private static synchronized void namesake(String name) {
    NAMESAKES.add(name);
    if (TESTED.contains(packageOf(name))) modified("class " + name + " beside the tests");
  }

  private static void tested(String owner) {
    if (TESTED.add(packageOf(owner))) for (String name : new ArrayList<>(NAMESAKES)) namesake(name);
    // Boxed numbers are shared by all code.
    for (int number = -128; number < 128; number += 1)
      if (Integer.valueOf(number).intValue() != number || Long.valueOf(number).longValue() != number) modified("boxed numbers");
  }

  private static String packageOf(String name) { return name.substring(0, Math.max(0, name.lastIndexOf('.'))); }

  static synchronized void begin() {
    for (int number = 0; file == null && number < 10000; number += 1) {
      File path = new File(folder, "record-" + number);
      try {
        if (path.createNewFile()) file = new FileOutputStream(path, true);
      } catch (IOException error) {
        return;
      }
    }
    if (file == null) return;
    write("begin", 0);
    for (String label : MODIFIED) write("modified", 0, label);
  }

  /** key: the same for all that is told of one test. */
  static synchronized void tell(String kind, Object key, String... path) {
    if (file == null) begin();
    tested(path[0]);
    Integer number = NUMBERS.get(key);
    if (number == null || kind.equals("start")) {
      number = last += 1;
      NUMBERS.put(key, number);
    }
    write(kind, number, path);
  }

  private static void write(String kind, int number, String... path) {
    StringBuilder line = new StringBuilder(secret).append(' ').append(kind).append(' ').append(number).append(" [");
    for (int at = 0; at < path.length; at += 1) {
      line.append(at == 0 ? "\\"" : ",\\"");
      for (char one : String.valueOf(path[at]).toCharArray())
        if (one < ' ' || one == '"' || one == '\\\\' || one > '~') line.append(String.format("\\\\u%04x", (int) one));
        else line.append(one);
      line.append('"');
    }
    try {
      file.write(line.append("]\\n").toString().getBytes(StandardCharsets.US_ASCII));
    } catch (IOException error) {
      file = null;
    }
  }
}`,
  Listener4: `
import java.util.*;
import org.junit.runner.*;
import org.junit.runner.notification.*;

public final class Listener4 extends RunListener {
  private final Map<String, String> worse = new HashMap<>();
  private static int runs;

  @Override public void testRunStarted(Description description) { canaries(); }
  @Override public void testRunFinished(Result result) { canaries(); }

  private static void canaries() {
    if (Witness.CANARY.get() != null) return;
    Witness.CANARY.set(true);
    try { JUnitCore.runClasses(Canary4.class); } finally { Witness.CANARY.remove(); }
  }

  private static String[] path(Description test) {
    return new String[] { String.valueOf(test.getClassName()), String.valueOf(test.getMethodName()), String.valueOf(test.getDisplayName()) };
  }
  private static String key(Description test) { return Thread.currentThread().getId() + " " + test.getDisplayName(); }
  private void note(Description test, String status) { synchronized (worse) { worse.put(key(test), status); } }

  @Override public void testStarted(Description test) {
    note(test, "PASSED");
    Witness.tell("start", key(test), path(test));
  }
  @Override public void testFailure(Failure failure) {
    Description test = failure.getDescription();
    note(test, "FAILED");
    // Of what is no test, such as a class, no end is told.
    Witness.tell("FAILED", key(test), path(test));
  }
  @Override public void testAssumptionFailure(Failure failure) { note(failure.getDescription(), "SKIPPED"); }
  @Override public void testIgnored(Description test) { Witness.tell("SKIPPED", key(test), path(test)); }
  @Override public void testFinished(Description test) {
    String status;
    synchronized (worse) { status = worse.remove(key(test)); }
    Witness.tell(status == null ? "PASSED" : status, key(test), path(test));
  }
}`,
  Canary4: `
public class Canary4 {
  @org.junit.Test public void passes() { org.junit.Assert.assertEquals(1L, 1L); }
  @org.junit.Test public void fails() { org.junit.Assert.assertEquals(1L, 2L); }
}`,
  Canary5: `
public class Canary5 {
  @org.junit.jupiter.api.Test public void passes() { org.junit.jupiter.api.Assertions.assertEquals(1, 1); }
  @org.junit.jupiter.api.Test public void fails() { org.junit.jupiter.api.Assertions.assertEquals(1, 2); }
}`,
  Listener5: `
import org.junit.platform.engine.*;
import org.junit.platform.engine.discovery.*;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.*;
import org.junit.platform.launcher.core.*;

public final class Listener5 implements TestExecutionListener {
  @Override public void testPlanExecutionStarted(TestPlan plan) { canaries(); }
  @Override public void testPlanExecutionFinished(TestPlan plan) { canaries(); }

  private static void canaries() {
    if (!Witness.isOn() || Witness.CANARY.get() != null) return;
    Witness.CANARY.set(true);
    try {
      LauncherFactory.create().execute(
        LauncherDiscoveryRequestBuilder.request().selectors(DiscoverySelectors.selectClass(canary())).build());
    } finally {
      Witness.CANARY.remove();
    }
  }

  /** Of the engine that the project has. */
  private static Class<?> canary() {
    try {
      Class.forName("org.junit.jupiter.api.Test");
      return Canary5.class;
    } catch (ClassNotFoundException error) {
      return Canary4.class;
    }
  }

  private static void tell(String kind, TestIdentifier test) {
    if (!Witness.isOn() || !test.isTest()) return;
    TestSource source = test.getSource().orElse(null);
    boolean isMethod = source instanceof MethodSource;
    Witness.tell(kind, test.getUniqueId(), isMethod ? ((MethodSource) source).getClassName() : "",
      isMethod ? ((MethodSource) source).getMethodName() : test.getDisplayName(), test.getLegacyReportingName(), test.getDisplayName());
  }
  @Override public void executionStarted(TestIdentifier test) { tell("start", test); }
  @Override public void executionSkipped(TestIdentifier test, String reason) { tell("SKIPPED", test); }
  @Override public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    switch (result.getStatus()) {
      case SUCCESSFUL: tell("PASSED", test); break;
      case ABORTED: tell("SKIPPED", test); break;
      default: tell("FAILED", test);
    }
  }
}`,
  ...Object.fromEntries(Object.keys(LISTENERS).map((name) => [name, listClass(name)])),
};

const PLACE = '/opt/env/witness';
export const AGENT = `${PLACE}/witness.jar`;
const SERVICE = 'META-INF/services/org.junit.platform.launcher.TestExecutionListener';

/** Bash that compiles the witness by the JDK on PATH. Times of its files are fixed, so that equal ones have equal digests. */
export function placeWitness(): string {
  const source = (path: string, text: string) => {
    const folder = path.slice(0, path.lastIndexOf('/'));
    return [
      `mkdir -p types/${folder}`,
      `cat > types/${path}.java << 'SWEMAKE'\npackage ${folder.replaceAll('/', '.')};\n${text}\nSWEMAKE`,
    ];
  };
  return [
    `set -e; rm -rf /tmp/witness; mkdir -p /tmp/witness/out/META-INF/services ${PLACE}; cd /tmp/witness`,
    ...Object.entries(TYPES).flatMap(([path, text]) => source(path, text)),
    ...Object.entries(OWN).flatMap(([name, text]) => source(`swemake/${name}`, text)),
    "javac -nowarn -Xlint:-options -source 8 -target 8 -encoding UTF-8 -d out $(find types -name '*.java' | sort)",
    'rm -rf out/org',
    `printf 'Manifest-Version: 1.0\\nPremain-Class: swemake.Witness\\n' > out/META-INF/MANIFEST.MF; echo swemake.Listener5 > out/${SERVICE}`,
    'cd out; find . -exec touch -t 200001010000 {} +',
    `TZ=UTC jar cfM ${AGENT} META-INF/MANIFEST.MF ${SERVICE} $(find swemake -name '*.class' | sort)`,
    'cd /; rm -rf /tmp/witness',
  ].join('\n');
}
