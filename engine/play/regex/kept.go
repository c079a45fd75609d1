package regex

import (
	"hash/maphash"
	"strings"
	"sync"
	"time"

	"github.com/dlclark/regexp2/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/ecmascript"
)

// pattern is a compiled pattern. all reports that it replaces all matches, not only the first.
type pattern struct {
	re  *regexp2.Regexp
	all bool
}

// Cache holds results for reuse: compiled patterns, texts after scripts, and which scripts were cut
// off. It is safe for concurrent use.
type Cache struct {
	seed  maphash.Seed
	limit time.Duration

	mu       sync.Mutex
	patterns map[string]compiled
	texts    map[uint64]madeText
	bytes    int
	strikes  map[uint64]strike
}

type compiled struct {
	pattern *pattern
	fault   string
}

type madeText struct{ from, to string }

type strike struct {
	n   int
	why string
}

// The limits of the cache, and how often a script may be cut off before it is disabled until it is
// changed or the program restarts.
const (
	maxPatterns = 512
	maxMade     = 8 << 20
	maxStrikes  = 3
)

// NewCache returns an empty cache. limit is the time that a script may take for one text; 0 means
// the limit for lorebook keys.
func NewCache(limit time.Duration) *Cache {
	if limit == 0 {
		limit = ecmascript.Limit
	}
	return &Cache{seed: maphash.MakeSeed(), limit: limit, patterns: map[string]compiled{}, texts: map[uint64]madeText{},
		strikes: map[uint64]strike{}}
}

func (k *Cache) pattern(find string) (*pattern, string) {
	k.mu.Lock()
	c, ok := k.patterns[find]
	k.mu.Unlock()
	if ok {
		return c.pattern, c.fault
	}
	c.pattern, c.fault = compile(find, k.limit)
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.patterns) >= maxPatterns {
		clear(k.patterns)
	}
	k.patterns[find] = c
	return c.pattern, c.fault
}

// compile compiles a pattern in the form that scripts have.
func compile(find string, limit time.Duration) (*pattern, string) {
	text, flags, fault := Split(find)
	if fault != "" {
		return nil, fault
	}
	options, _, fault := ecmascript.Options(text, flags)
	if fault != "" {
		return nil, fault
	}
	if text, fault = ecmascript.Normalize(text, options); fault != "" {
		return nil, fault
	}
	re, err := ecmascript.Compile(text, options, limit)
	if err != nil {
		return nil, err.Error()
	}
	return &pattern{re: re, all: strings.Contains(flags, "g")}, ""
}

// Split parses a script's pattern, alone or as /pattern/flags. Text after a line break is ignored,
// unless the break is escaped.
func Split(find string) (pattern, flags, fault string) {
	const breaks = "\n\r\u2028\u2029"
	line := strings.TrimLeft(find, breaks)
	if i := strings.IndexAny(line, breaks); i >= 0 {
		line = line[:i]
	}
	if line == "" {
		return "", "", "there is no pattern"
	}
	end := strings.LastIndexByte(line, '/')
	if line[0] != '/' || end < 2 {
		return line, "", ""
	}
	flags = line[end+1:]
	if i := strings.IndexFunc(flags, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	}); i >= 0 {
		flags = flags[:i]
	}
	for i, f := range flags {
		switch {
		case !strings.ContainsRune("gmixXsuUAJ", f) || strings.ContainsRune(flags[:i], f):
			return find, "", "" // no flags, so it is a pattern as a whole
		case !strings.ContainsRune("gmisu", f):
			return "", "", "the regex is not valid: there is no flag " + string(f)
		}
	}
	return line[1:end], flags, ""
}

func (k *Cache) key(sign uint64, plain bool, text string) uint64 {
	var h maphash.Hash
	h.SetSeed(k.seed)
	maphash.WriteComparable(&h, sign)
	maphash.WriteComparable(&h, plain)
	_, _ = h.WriteString(text)
	return h.Sum64()
}

func (k *Cache) made(key uint64, text string) (string, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	m, ok := k.texts[key]
	return m.to, ok && m.from == text
}

func (k *Cache) keep(key uint64, from, to string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.bytes += len(from) + len(to); k.bytes > maxMade {
		clear(k.texts)
		k.bytes = len(from) + len(to)
	}
	k.texts[key] = madeText{from, to}
}

func (k *Cache) strike(sign uint64, why string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.strikes) > maxPatterns {
		clear(k.strikes)
	}
	k.strikes[sign] = strike{k.strikes[sign].n + 1, why}
}

// resting returns why a script is disabled, "" if it is not.
func (k *Cache) resting(sign uint64) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if s := k.strikes[sign]; s.n >= maxStrikes {
		return s.why + "; disabled until it is changed"
	}
	return ""
}
