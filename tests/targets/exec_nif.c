/* idle:execute(["/path/to/program", "argument", ...]): execv of the whole VM, as a container's
 * entry point or an init script may do. The process id stays, everything else is new. */
#include <erl_nif.h>
#include <stdlib.h>
#include <unistd.h>

enum { max_arguments = 64, max_length = 4096 };

static ERL_NIF_TERM execute(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[]) {
  char* arguments[max_arguments + 1] = {0};
  ERL_NIF_TERM head, tail = argv[0];
  int count = 0;
  (void)argc;
  while (count < max_arguments && enif_get_list_cell(env, tail, &head, &tail)) {
    arguments[count] = malloc(max_length);
    if (enif_get_string(env, head, arguments[count], max_length, ERL_NIF_LATIN1) <= 0)
      return enif_make_badarg(env);
    ++count;
  }
  if (count > 0) execv(arguments[0], arguments);
  return enif_make_badarg(env);
}

static ErlNifFunc functions[] = {{"execute", 1, execute, 0}};
ERL_NIF_INIT(idle, functions, NULL, NULL, NULL, NULL)
