/** @file atomic-file.h
 * A file that appears complete or not at all: what is written goes to a temporary file next to the target, which takes
 * the target's name only once everything is on the disk. An existing target stays as it was until then. Where the file
 * system has files without a name (ext4, XFS, Btrfs, tmpfs), not even a program that is killed leaves anything behind,
 * unless that happens in the moment in which the file gets its name.
 *
 * The result has the permissions of the target it replaces, and as far as the system allows it the owner and the group,
 * but never set-user-ID, set-group-ID or the sticky bit; a new file has 0666 less the umask. A symbolic link is
 * followed; a hard link is broken. A target that is no regular file (/dev/null, a named pipe), or an open descriptor
 * (/dev/stdout, /dev/stderr, /dev/fd/N), is written to directly. */
#ifndef TG_ATOMIC_FILE_H
#define TG_ATOMIC_FILE_H

#include "io-error.h"

#include <stdio.h>

TG_BEGIN_DECLS

typedef struct TgAtomicFile TgAtomicFile;

/** Starts a file that is to become `path`. Errors: CANNOT_WRITE, the message naming the path. */
TgAtomicFile *tg_atomic_file_begin(const char *path, GError **error);

/** The same, with `size` bytes already written. Errors: CANNOT_WRITE. */
TgAtomicFile *tg_atomic_file_begin_with(const char *path, const void *bytes, size_t size, GError **error);

/** Where to write; closed by commit or abort. */
FILE *tg_atomic_file_stream(TgAtomicFile *file);

/** Brings everything to the disk and gives the file its name. After a failure, of an earlier write too, the target is
 * as it was and the temporary file is gone. Called once. Errors: CANNOT_WRITE. */
bool tg_atomic_file_commit(TgAtomicFile *file, GError **error);

/** The same for several files that belong together: all of them get their names, or none does. Each is whole on the
 * disk before the first target changes; should a name be refused after that, the targets before it come back. What was
 * written directly, to a device or a descriptor, stays written. */
bool tg_atomic_files_commit(TgAtomicFile *const *files, size_t count, GError **error);

/** Frees `file`; without a commit before, nothing is left of it. NULL is allowed. */
void tg_atomic_file_abort(TgAtomicFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgAtomicFile, tg_atomic_file_abort)

/** Whether `path` could be begun now: for asking before what takes long. Of pipes and devices nothing is asked. Errors:
 * CANNOT_WRITE. */
bool tg_atomic_file_check(const char *path, GError **error);

/** Writes `size` bytes as the whole of the file `path`. Errors: CANNOT_WRITE. */
bool tg_atomic_file_write(const char *path, const void *bytes, size_t size, GError **error);

TG_END_DECLS

#endif
