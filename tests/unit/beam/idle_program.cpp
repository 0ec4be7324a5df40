// A program that does nothing under whatever name it is copied to: says so, then waits for its
// input to end.
#include <unistd.h>

int main() {
  char byte = 0;
  return write(STDOUT_FILENO, "ready\n", 6) == 6 && read(STDIN_FILENO, &byte, 1) == 0 ? 0 : 1;
}
