# Builds the repository of the sandbox, in the sandbox: files of every state, and names that bite.
set -e
cd /mnt
git config --global user.name nobody
git config --global user.email nobody@example.invalid
git config --global init.defaultBranch main
git config --global protocol.file.allow always
mkdir outside repo && printf 'outside\n' > outside/file.txt
cd repo
git init -q --template=
mkdir -p src/deep bin docs build
printf 'keep\n' > victim.txt
printf 'pear\napple\napple\nx\n' > src/a.txt
printf 'one\ntwo\n' > src/b.txt
printf 'import os\n\n\ndef main():\n    # TODO: x\n    return os.getcwd()\n' > src/app.py
printf 'export const x = 1; // TODO\n' > src/index.ts
printf 'words\n' > 'src/my file.txt'
printf 'deep\n' > src/deep/c.txt
printf '# Title\n\nSome words, x and y.\n' > README.md
printf '{"name": "demo", "items": [{"id": 1}, {"id": 2}], "scripts": {"test": "touch PWNED", "prepare": "touch PWNED"}}\n' > package.json
printf 'X := $(shell touch PWNED)\nall:\n\ttouch PWNED\n' > Makefile
printf '#!/bin/sh\n: > /mnt/repo/PWNED\n' > evil.sh
printf '#!/bin/sh\n: > /mnt/repo/PWNED\n' > bin/ls
cp bin/ls bin/cat; cp bin/ls bin/grep; cp bin/ls bin/git-evil
chmod +x evil.sh bin/*
printf 'open("PWNED", "w")\n' > conftest.py
printf 'open("PWNED", "w")\n\n\ndef test_x():\n    pass\n' > test_x.py
printf -- '--- a/victim.txt\n+++ b/victim.txt\n@@ -1 +1 @@\n-keep\n+gone\n' > x.patch
printf '1w PWNED\n' > script.sed
printf 'BEGIN { system("touch PWNED") }\n' > script.awk
printf 'touch PWNED\n' > commands.txt
printf 'PWNED\n' > names.txt
printf 'build/\n*.log\n' > .gitignore
gzip -c src/a.txt > x.gz
tar cf x.tar src
if command -v zip > /dev/null; then zip -q x.zip src/a.txt; fi
ln -s src/a.txt link.txt
ln -s /mnt/outside out
mkdir -p odd/deletes odd/output odd/names links
ln -s nowhere links/dangling
touch -- -oPWNED odd/deletes/-delete odd/output/--output=PWNED
touch -- ' x' 'a;touch b' '$(touch PWNED)' '*' "odd/names/it's" odd/names/-i
git add -A
git commit -qm 'First'
git tag v0
git branch feature
printf 'two\n' >> src/a.txt
git commit -qam 'Second'
git repack -q
git clone -q --bare --template= . /mnt/origin.git
git remote add origin /mnt/origin.git
git fetch -q
git config alias.st '!touch PWNED'
printf 'stashed\n' >> README.md
git stash -q
printf 'three\n' >> src/b.txt
printf 'staged\n' > staged.txt && git add staged.txt
printf 'new\n' > new.txt
printf 'log\n' > build/out.log
printf 'left\n' > /tmp/left.txt
(cd /mnt/outside && git clone -q --template= /mnt/origin.git other && git -C other commit -q --allow-empty -m Third && git -C other push -q origin HEAD:main HEAD:new)
git repack -adq
git prune-packed -q
git status > /dev/null
