/* Loaded by GNU make for `make run` only, so that Ctrl-C, the ordinary end of a simulation, is no error of make.
 *
 * Left alone, make waits for its recipe and then dies of the signal, whatever the recipe's exit status. With this handler it
 * goes on and takes the recipe's status. It passes the signal to the recipe too, for when it came to make alone and not to
 * the whole foreground group; scripts/until_interrupted.py keeps that from counting twice. Without this file (no C compiler,
 * another make) only the exit status of an interrupted `make run` is worse.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int plugin_is_GPL_compatible; /* make asks for this name; it says nothing of this project's licence, which GPL 3 accepts */

static void pass_on(int signal_number)
{
    char text[256];
    int before = errno; /* of the call that was interrupted */
    int file = open("/proc/thread-self/children", O_RDONLY);
    ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);
    char *here = text, *end;
    if (file >= 0)
        close(file);
    text[length > 0 ? length : 0] = 0;
    for (long child; (child = strtol(here, &end, 10)) > 0; here = end)
        kill((pid_t)child, signal_number);
    errno = before;
}

int interrupt_gmk_setup(void)
{
    struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &action, NULL);
    return 1;
}
