"""The shapes of secrets that issuers document, as data: what it is, the words that it begins with, and the whole.

The words are looked for first, since that costs next to nothing: nearly no text has one. Where an issuer names a
length, less is asked for, so that a token that was cut off or is of an older kind is one as well; an alphabet, a prefix
and a border keep ordinary text out.
"""

_HEX32 = r"[0-9a-f]{32}(?![\w-])"

SHAPES: tuple[tuple[str, str, str], ...] = (
    # where code is kept and built
    ("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{20,}"),
    ("GitHub token", "github_pat_", r"github_pat_\w{20,}"),
    ("GitLab token", "gl", r"gl(?:pat|dt|rt|rtr|cbt|ptt|ft|soat|agent|oas|imt|ffct|wt)-[\w.-]{16,}"),
    ("GitLab token", "GR1348941", r"GR1348941[\w-]{20,}"),
    ("Atlassian token", "ATATT3 ATCTT3", r"AT[AC]TT3[\w=-]{20,}"),
    ("Bitbucket password", "ATBB", r"ATBB[A-Za-z0-9]{24,}"),
    ("Docker token", "dckr_", r"dckr_[po]at_[\w-]{20,}"),
    ("npm token", "npm_", r"npm_[A-Za-z0-9]{30,}"),
    ("PyPI token", "pypi-", r"pypi-[\w-]{30,}"),
    ("RubyGems key", "rubygems_", r"rubygems_[a-f0-9]{32,}"),
    ("crates.io token", "cio", r"cio[A-Za-z0-9]{32}(?!\w)"),
    ("NuGet key", "oy2", r"oy2[a-z0-9]{43}(?!\w)"),
    ("Clojars token", "CLOJARS_", r"CLOJARS_[a-f0-9]{40,}"),
    ("CircleCI token", "CCIPAT_ CCIPRJ_", r"CCIP(?:AT|RJ)_[\w]{30,}"),
    ("Buildkite token", "bkua_", r"bkua_[a-f0-9]{30,}"),
    ("Artifactory key", "AKCp", r"AKCp[A-Za-z0-9]{60,}"),
    ("Sourcegraph token", "sgp_", r"sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}"),
    ("Postman key", "PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    # machines, databases, networks
    ("AWS access key", "AKIA ASIA AGPA AIDA AROA ABIA ACCA", r"A(?:KIA|SIA|GPA|IDA|ROA|BIA|CCA)[A-Z0-9]{16}\b"),
    ("AWS Bedrock key", "ABSK", r"ABSK[A-Za-z0-9+/]{60,}={0,2}"),
    ("Google key", "AIza", r"AIza[\w-]{30,}"),
    ("Google token", "ya29.", r"ya29\.[\w-]{20,}"),
    ("Google client secret", "GOCSPX-", r"GOCSPX-[\w-]{20,}"),
    ("Azure key", "AccountKey= SharedAccessKey=", r"(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{40,}={0,2}"),
    ("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", r"do[por]_v1_[a-f0-9]{40,}"),
    ("Alibaba key", "LTAI", r"LTAI[A-Za-z0-9]{16,24}(?!\w)"),
    ("Cloudflare key", "v1.0-", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}"),
    ("Heroku key", "HRKU-", r"HRKU-[\w-]{30,}"),
    ("Fly.io token", "fo1_ fm1 fm2_", r"(?:fo1_[\w-]{40,}|fm(?:1[ar]|2)_[A-Za-z0-9+/]{60,}={0,3})"),
    ("Netlify token", "nfp_", r"nfp_[A-Za-z0-9]{30,}"),
    ("Render key", "rnd_", r"rnd_[A-Za-z0-9]{26,}"),
    ("Supabase key", "sbp_ sb_secret_", r"(?:sbp_[a-f0-9]{40}|sb_secret_[\w-]{20,})"),
    ("PlanetScale token", "pscale_", r"pscale_(?:tkn|pw|oauth|otkn)_[\w=.-]{20,}"),
    ("Databricks token", "dapi", r"dapi[a-f0-9]{32}(?:-\d)?\b"),
    ("Tailscale key", "tskey-", r"tskey-[a-z]{2,12}-[\w-]{16,}"),
    ("Vault token", "hvs. hvb. hvr.", r"hv[sbr]\.[\w-]{20,}"),
    ("Pulumi token", "pul-", r"pul-[a-f0-9]{40}"),
    ("Doppler token", "dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,}"),
    ("1Password token", "ops_eyJ", r"ops_eyJ[\w+/=-]{40,}"),
    ("1Password key", "A3-", r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}\b"),
    ("Prefect key", "pnu_", r"pnu_[A-Za-z0-9]{36}"),
    # what is watched
    ("Grafana token", "glsa_ glc_", r"(?:glsa_[A-Za-z0-9]{20,}_[a-fA-F0-9]{8}|glc_[A-Za-z0-9+/]{32,}={0,3})"),
    ("Sentry token", "sntry", r"sntry(?:s_[\w+/=-]{20,}|u_[a-f0-9]{40,})"),
    ("New Relic key", "NRAK-", r"NRAK-[A-Z0-9]{24,}"),
    ("Dynatrace token", "dt0c01.", r"dt0c01\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{40,}"),
    # models
    ("API key", "sk-", r"sk-(?!ecdsa|ssh)[A-Za-z0-9_-]{16,}"),
    ("Groq key", "gsk_", r"gsk_[A-Za-z0-9]{30,}"),
    ("xAI key", "xai-", r"xai-[A-Za-z0-9]{30,}"),
    ("Replicate token", "r8_", r"r8_[A-Za-z0-9]{30,}"),
    ("Perplexity key", "pplx-", r"pplx-[A-Za-z0-9]{30,}"),
    ("Hugging Face token", "hf_ api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{20,}"),
    ("LangSmith key", "lsv2_", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{8,}"),
    ("Tavily key", "tvly-", r"tvly-[A-Za-z0-9-]{20,}"),
    # messages
    ("Slack token", "xox", r"xox[abceoprs][.-][\w.-]{10,}"),
    ("Slack token", "xapp-", r"xapp-\d-[\w-]{10,}"),
    (
        "Slack address",
        "https://hooks.slack.com/",
        r"https://hooks\.slack\.com/(?:services|workflows|triggers)/[\w/+]{20,}",
    ),
    (
        "Discord address",
        "https://discord https://ptb.discord https://canary.discord",
        r"https://(?:\w+\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{15,20}/[\w-]{40,}",
    ),
    # Its first part is a number in base 64, which leaves few signs to begin with.
    (
        "Discord token",
        "MD MT Mj Mz ND NT Nj Nz OD OT Oj Oz",
        r"[MNO][DTjz][AEIMQUYcgk][w-z0-5][\w-]{18,24}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])",
    ),
    ("Twilio key", "SK AC", rf"(?:SK|AC){_HEX32}"),
    ("SendGrid key", "SG.", r"SG\.[\w-]{16,}\.[\w-]{16,}"),
    ("Mailgun key", "key-", rf"(?<![\w-])key-{_HEX32}"),
    ("Brevo key", "xkeysib-", r"xkeysib-[a-f0-9]{40,}-[A-Za-z0-9]{10,}"),
    # money, shops, documents
    (
        "Stripe key",
        "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ pk_live_ pk_test_ pk_prod_",
        r"[srp]k_(?:live|test|prod)_[A-Za-z0-9]{10,}",
    ),
    ("Stripe key", "whsec_", r"whsec_[A-Za-z0-9+/=]{16,}"),
    ("Square token", "sq0", r"sq0(?:atp|csp)-[\w-]{22,}"),
    ("Shopify token", "shp", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("EasyPost key", "EZAK EZTK", r"EZ[AT]K[A-Za-z0-9]{50,}"),
    ("Shippo token", "shippo_", r"shippo_(?:live|test)_[a-f0-9]{40}"),
    ("Figma token", "fig", r"fig(?:d|or|u)_[\w-]{20,}"),
    ("Linear key", "lin_", r"lin_(?:api|oauth)_[A-Za-z0-9]{20,}"),
    ("Notion token", "ntn_ secret_", r"(?:ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}(?!\w))"),
    ("Airtable token", "pat", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    ("Contentful token", "CFPAT-", r"CFPAT-[\w-]{40,}"),
    ("ReadMe key", "rdme_", r"rdme_[a-z0-9]{60,}"),
    ("Typeform token", "tfp_", r"tfp_[\w.=-]{40,}"),
    ("Dropbox token", "sl.", r"sl\.[\w-]{120,}"),
    # of no particular issuer
    ("age key", "age-secret-key-1", r"age-secret-key-1[a-z0-9]{30,}"),
    ("age key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{30,}"),
    ("JSON web token", "eyJ", r"eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"),
)
# Those that begin with anything: the words stand inside.
SEARCHED: tuple[tuple[str, str, str], ...] = (
    (
        "AWS secret key",
        "SECRET_ACCESS_KEY secret_access_key ecretAccessKey secret-access-key AWS_SECRET aws_secret awsSecret",
        r"(?i:(?:aws[_-]?)?secret[_-]?access[_-]?key|aws[_-]?secret(?:[_-]?key)?)[\"']?\s*(?:=>|:=|[=:,])\s*[\"']?"
        r"[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])",
    ),
    ("Azure secret", "Q~", r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![\w~.-])"),
    ("Terraform token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}"),
    ("Telegram token", ":AA", r"(?:bot)?\d{8,10}:AA[\w-]{32,33}(?![\w-])"),
)
# What issuers and people write where a secret would stand: a key of their documents, the name of what is meant.
STANDS_FOR = (
    r"(?i)EXAMPLE(?:KEY)?$|Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2|^\W+$"
    r"|^(?:pass|passwd|password|passphrase|pwd|pw|secret|token|user|username|changeme|x+)$"
)
