/* wasteful:malloc(MiB): takes so much from malloc, in small pieces, writes to all of it, and keeps
 * it. */
#include <erl_nif.h>
#include <stdlib.h>
#include <string.h>

static ERL_NIF_TERM take(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[]) {
  enum { piece = 4096 };
  unsigned mebibytes = 0;
  (void)argc;
  if (!enif_get_uint(env, argv[0], &mebibytes)) return enif_make_badarg(env);
  for (unsigned k = 0; k < mebibytes * 256; ++k) {
    char* bytes = malloc(piece);
    if (bytes == NULL) return enif_make_badarg(env);
    memset(bytes, 1, piece);
  }
  return argv[0];
}

static ErlNifFunc functions[] = {{"malloc", 1, take, 0}};
ERL_NIF_INIT(wasteful, functions, NULL, NULL, NULL, NULL)
