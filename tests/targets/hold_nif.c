/* stuck:hold(Milliseconds): keeps its scheduler, as a NIF does that was never made dirty. */
#include <erl_nif.h>

static ERL_NIF_TERM hold(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[]) {
  int milliseconds = 0;
  (void)argc;
  if (!enif_get_int(env, argv[0], &milliseconds)) return enif_make_badarg(env);
  const ErlNifTime end = enif_monotonic_time(ERL_NIF_MSEC) + milliseconds;
  while (enif_monotonic_time(ERL_NIF_MSEC) < end) {
  }
  return argv[0];
}

static ErlNifFunc functions[] = {{"hold", 1, hold, 0}};
ERL_NIF_INIT(stuck, functions, NULL, NULL, NULL, NULL)
