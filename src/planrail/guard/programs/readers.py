"""Tables of commands that only read: those that no argument can make write, and those with options to choose from."""

from planrail.guard.programs.options import read_table
from planrail.guard.shell.words import name_set

# No option or operand of these writes a file or starts a program, in GNU, BSD and busybox spellings.
FREE = name_set(
    "cat head tail wc nl tac rev cut paste fold fmt expand unexpand tr comm join egrep fgrep ls dir vdir stat"
    " realpath readlink basename dirname md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum md5"
    " base32 basenc od hexdump hd strings cmp echo seq true false : expr factor numfmt id whoami groups uname"
    " nproc tty uptime pwd df du free ps pidof lscpu lsblk locale printenv getconf jq column tsort look cal"
    " ncal yes sleep which whereis type users who w logname zipinfo sw_vers vm_stat lsmod hostid"
    " eza exa lsd"
)

TABLES = read_table("""
sort: bcCdfghiMmnRrsuVzk:S:t: * ignore-leading-blanks dictionary-order ignore-case general-numeric-sort \
    ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort random-source= reverse sort= \
    version-sort batch-size= check? key= merge stable buffer-size= field-separator= parallel= unique zero-terminated \
    debug files0-from= help version
uniq: cdDiuzf:s:w: 1 count repeated all-repeated? skip-fields= group? ignore-case skip-chars= unique zero-terminated \
    check-chars= help version
shuf: ezrn:i: * echo head-count= input-range= random-source= repeat zero-terminated help
tree: adflxqNQpugshDFinACSvtcUrJXL=P=I= * gitignore ignore-case matchdirs metafirst prune info noreport sort= \
    dirsfirst filesfirst filelimit= charset= si du timefmt= inodes device nolinks fromfile help version
file: bciLhkNnrsvzZ0m:F:P:e:f: * brief mime mime-type mime-encoding dereference no-dereference keep-going no-pad \
    print0 raw special-files uncompress extension separator= exclude= files-from= apple help version
base64: dDw: 1 decode wrap= ignore-garbage help version
diff: qsyiwbBEZaNrtTpudcenlU::C::W:I:x:X:F:S:L:D: * normal brief report-identical-files context? unified? ed rcs \
    side-by-side width= left-column suppress-common-lines show-c-function show-function-line= label= expand-tabs \
    initial-tab tabsize= suppress-blank-empty recursive no-dereference new-file unidirectional-new-file \
    ignore-file-name-case exclude= exclude-from= starting-file= from-file= to-file= ignore-case ignore-tab-expansion \
    ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines ignore-matching-lines= text \
    strip-trailing-cr minimal speed-large-files color? palette= line-format= old-line-format= new-line-format= \
    unchanged-line-format= changed-group-format= unchanged-group-format= help version
arch: - 0
hostname: fsiIdA 0 fqdn long short ip-address all-ip-addresses domain help version
zcat: fqv * force quiet verbose help version
gzcat: fqv *
bzcat: s *
xzcat: fqv * force quiet verbose
rg: 0.acFhHiIlLnNoPpqsSuUvVwxzA:B:C:d:e:E:f:g:j:m:M:r:t:T: * after-context= before-context= context= \
    context-separator= color= colors= column count count-matches crlf debug encoding= engine= field-context-separator= \
    field-match-separator= file= files files-with-matches files-without-match fixed-strings follow glob= \
    glob-case-insensitive heading hidden iglob= ignore-case ignore-file= include-zero invert-match json line-buffered \
    line-number line-regexp max-columns= max-columns-preview max-count= max-depth= maxdepth= max-filesize= mmap \
    multiline multiline-dotall no-config no-filename no-heading no-hidden no-ignore no-ignore-dot no-ignore-exclude \
    no-ignore-files no-ignore-global no-ignore-messages no-ignore-parent no-ignore-vcs no-line-number no-messages \
    no-mmap no-unicode null null-data one-file-system only-matching passthru path-separator= pcre2 pcre2-version \
    pretty quiet regexp= replace= search-zip smart-case sort= sortr= stats stop-on-nonmatch text threads= trim type= \
    type-add= type-clear= type-list type-not= unrestricted version help vimgrep with-filename word-regexp binary \
    auto-hybrid-regex byte-offset no-require-git require-git trace
fd: HIuspagiFLl01qVhd:E:t:e:S:c:j:o:C: * hidden no-ignore no-ignore-vcs no-ignore-parent unrestricted case-sensitive \
    ignore-case glob regex fixed-strings and= absolute-path full-path follow print0 max-depth= min-depth= exact-depth= \
    exclude= prune type= extension= size= changed-within= changed-before= newer= older= owner= color= threads= \
    max-results= quiet show-errors base-directory= strip-cwd-prefix? one-file-system list-details path-separator= \
    relative-path help version
bat: ApnNfPul:H:r:m: * show-all plain? language= highlight-line= file-name= diff tabs= wrap= terminal-width= number \
    color= italic-text= decorations= paging= line-range= theme= style= list-languages list-themes no-paging \
    force-colorization help version
yq: rePCMNno:p:I: * raw-output output-format= input-format= indent= colors no-colors exit-status prettyPrint
scc: apuvwzci:x:f:s:n:M: * by-file format= include-ext= exclude-dir= exclude-ext= no-cocomo no-complexity sort= wide
pgrep: flaxnovciP:u:U:t:g: * full list-name list-full exact newest oldest count
jobs: lnprs *
ss: tuxlnpar46ieomsH *
netstat: tulnparise46 *
lsof: nPlatTUR0i::p:u:c:s::F::d:g:: *
ulimit: acdefilmnpqrstuvxHS 0
shasum: a:bcpqstUw * algorithm= binary check quiet status
lsb_release: aidrcs 0 all id description release codename short
locate: bcieqrl:n: * basename count ignore-case existing quiet regex limit=
pstree: apnughltT 1
bc: lqs * mathlib quiet
tokei: fs:t:e:o: * files sort= type= exclude= output= hidden no-ignore
pr: 0adFfmtTvn::w:l:h:o:s:: *
sdiff: ailstw: 2
getent: - *
""")
SAME = {"gsort": "sort", "guniq": "uniq", "batcat": "bat", "fdfind": "fd", "ripgrep": "rg"}
