/** The part of the witness that writes what a program of tests did, for all runners. */

/** Name of the canaries. */
export const CANARY = 'ZzzzSwemake';

/** C++, of which several files of one program share what is inline. */
export const RECORD = `#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <string>
#ifndef SWEMAKE_RECORD
#define SWEMAKE_RECORD
struct SwemakeRecord {
  int file;
  ::std::string secret;
  SwemakeRecord() : file(-1) {
    const char* folder = ::getenv("SWEMAKE_WITNESS");
    const char* given = ::getenv("SWEMAKE_SECRET");
    if (folder == 0 || given == 0) return;
    secret = given;
    for (int number = 0; file < 0 && number < 100000; number++) {
      ::std::string path = ::std::string(folder) + "/record-" + ::std::to_string(number);
      file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    }
    ::unsetenv("SWEMAKE_WITNESS");
    ::unsetenv("SWEMAKE_SECRET");
    write("begin", "");
  }
  bool is_placed() const { return file >= 0; }
  void write(const char* kind, const ::std::string& name) {
    ::std::string line = secret + " " + kind + " " + name + "\\n";
    if (file >= 0 && ::write(file, line.data(), line.size()) < 0) ::abort();
  }
};
#endif
`;
