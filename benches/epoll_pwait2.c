/* `epoll_pwait2` in whole milliseconds, for valgrind, which does not know the system call (3.19). */

#define _GNU_SOURCE
#include <sys/epoll.h>
#include <time.h>

int epoll_pwait2(int epoll, struct epoll_event *events, int most, const struct timespec *time, const sigset_t *mask)
{
    int ms = time ? (int)(time->tv_sec * 1000 + (time->tv_nsec + 999999) / 1000000) : -1;
    return epoll_pwait(epoll, events, most, ms, mask);
}
