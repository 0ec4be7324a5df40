/* short_nif: NIFs that keep their scheduler for a known CPU time, and their own account of every
 * call. */
#include <erl_nif.h>
#include <time.h>

static unsigned long calls, total, longest; /* us; one process calls */

static unsigned long now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (unsigned long)time.tv_sec * 1000000 + (unsigned long)time.tv_nsec / 1000;
}

/* Keeps the scheduler for so many microseconds of CPU time; how long that took is what counts. */
static void keep(unsigned long microseconds) {
  const unsigned long begin = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);
  while (now(CLOCK_THREAD_CPUTIME_ID) - cpu < microseconds) {
  }
  const unsigned long kept = now(CLOCK_MONOTONIC) - begin;
  ++calls;
  total += kept;
  if (kept > longest) longest = kept;
}

/* hold(Microseconds) */
static ERL_NIF_TERM hold(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[]) {
  unsigned long microseconds = 0;
  (void)argc;
  if (!enif_get_ulong(env, argv[0], &microseconds)) return enif_make_badarg(env);
  keep(microseconds);
  return argv[0];
}

/* slices(Microseconds, Slices, Percent): each slice is a call of its own, which says how much of
 * the timeslice it took; Percent 0: it says nothing. */
static ERL_NIF_TERM slices(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[]) {
  unsigned long microseconds = 0, left = 0;
  int percent = 0;
  if (!enif_get_ulong(env, argv[0], &microseconds) || !enif_get_ulong(env, argv[1], &left) ||
      !enif_get_int(env, argv[2], &percent))
    return enif_make_badarg(env);
  keep(microseconds);
  if (percent > 0) enif_consume_timeslice(env, percent);
  if (left <= 1) return enif_make_atom(env, "ok");
  const ERL_NIF_TERM next[] = {argv[0], enif_make_ulong(env, left - 1), argv[2]};
  return enif_schedule_nif(env, "slices", 0, slices, argc, next);
}

/* account() -> [Calls, Microseconds, Longest], since it was asked last */
static ERL_NIF_TERM account(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[]) {
  (void)argc, (void)argv;
  const ERL_NIF_TERM answer = enif_make_list3(
      env, enif_make_ulong(env, calls), enif_make_ulong(env, total), enif_make_ulong(env, longest));
  calls = total = longest = 0;
  return answer;
}

static ErlNifFunc functions[] = {
    {"hold", 1, hold, 0}, {"slices", 3, slices, 0}, {"account", 0, account, 0}};
ERL_NIF_INIT(short_nif, functions, NULL, NULL, NULL, NULL)
