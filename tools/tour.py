#!/usr/bin/env python3
"""Fills in, or checks, what the commands shown in a document print.

Usage: tools/tour.py [--check] [--program build/cli/topogemm] DOCUMENT.md ...

Every line `$ COMMAND` in a ```console block is run by the shell in one empty folder per document, where `topogemm` is
the program; the lines below it, up to the next `$` or the end of the block, become what it printed (standard output and
errors). A block line `…` keeps the output's first lines up to there: write `$ COMMAND   # first 8 lines`. Where figures
are measured, write `# figures vary`, or `# first 8 lines, figures vary`: only the words must be the same then, and the
figures stay as they are; delete the lines below the command for new ones. A ```text FILE block is a file in that folder.
A `topogemm plan` or `shard` without a budget gets one that a slow build keeps to; what it prints once it is certain is the same.
With --check nothing is written; the exit status is 1 where a document is not what the commands print.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

MARKS = re.compile(r'\s+# (?:first (\d+) lines)?(?:, )?(figures vary)?$')
FILE = re.compile(r'^```text (\S+)\n(.*?)^```$', re.M | re.S)
FIGURE = re.compile(r'(?<![\w.])\d[\d.]*(?:e[-+]?\d+)?x?(?!\w)(?: (?:us|ms|s|kB|MB|GB|%|[kMGT]?flop/s))?')


def run(line, folder, environment):
    first = MARKS.search(line)
    command = MARKS.sub('', line)[2:]
    if '--budget' not in command:
        command = re.sub(r'^topogemm (plan|shard) ', r'topogemm \1 --budget 100 ', command)
    done = subprocess.run(['bash', '-c', command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    lines = [each.rstrip() for each in done.stdout.rstrip('\n').split('\n')] if done.stdout else []
    if first and first[1] and len(lines) > int(first[1]):
        lines = lines[:int(first[1])] + ['…']
    return lines


def words(lines):
    """All but the figures and the space that they take."""
    return FIGURE.sub('#', ' '.join(lines)).split()


def filled(command, before, folder, environment):
    """The lines below a command, `before` being those that are there."""
    after = run(command, folder, environment)
    marks = MARKS.search(command)
    return before if marks and marks[2] and words(before) == words(after) else after


def fill(text, program):
    environment = {**os.environ, 'NO_COLOR': '1', 'LC_ALL': 'C.UTF-8'}
    out, before, command = [], [], None
    inside = False
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.abspath(program), os.path.join(folder, 'topogemm'))
        work = os.path.join(folder, 'work')
        os.mkdir(work)
        for name, content in FILE.findall(text):
            with open(os.path.join(work, name), 'w', encoding='utf-8') as file:
                file.write(content)
        environment['PATH'] = folder + os.pathsep + environment['PATH']
        for line in text.split('\n'):
            fence = line.startswith('```')
            starts = inside and line.startswith('$ ')
            if command and (fence or starts):
                out += filled(command, before, work, environment)
                command = None
            if fence:
                inside = line == '```console'
            if starts:
                command, before = line, []
            if starts or not command:
                out.append(line)
            else:
                before.append(line)
    return '\n'.join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--check', action='store_true', help='write nothing, exit 1 where something differs')
    parser.add_argument('--program', default='build/cli/topogemm')
    parser.add_argument('documents', nargs='+')
    arguments = parser.parse_args()
    stale = False
    for document in arguments.documents:
        with open(document, encoding='utf-8') as file:
            before = file.read()
        after = fill(before, arguments.program)
        if after == before:
            continue
        stale = True
        if arguments.check:
            for number, (old, new) in enumerate(zip(before.split('\n'), after.split('\n')), 1):
                if old != new:
                    print(f'{document}:{number}: the document says\n  {old}\nthe command prints\n  {new}')
                    break
            else:
                print(f'{document}: differs in length')
        else:
            with open(document, 'w', encoding='utf-8') as file:
                file.write(after)
            print(f'{document}: filled in')
    return 1 if stale and arguments.check else 0


if __name__ == '__main__':
    sys.exit(main())
