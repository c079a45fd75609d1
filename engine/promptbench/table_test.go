package promptbench

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// table gathers results by job, in the order in which jobs come.
type table struct {
	rows []*row
	out  []string // jobs whose questions were left out
}

// row is what came of a job's questions.
type row struct {
	name     string
	asked    int
	outcomes [refused + 1]int
	sizes    [3]int // tokens in all: instruction, material, answer
	took     time.Duration
	whys     map[string]int
}

func (t *table) row(j job) *row {
	i := slices.IndexFunc(t.rows, func(r *row) bool { return r.name == j.name })
	if i < 0 {
		i, t.rows = len(t.rows), append(t.rows, &row{name: j.name, whys: map[string]int{}})
	}
	return t.rows[i]
}

func (t *table) leftOut(j job) { t.out = append(t.out, j.name) }

func (t *table) add(j job, r result) {
	to := t.row(j)
	to.asked++
	to.outcomes[r.outcome]++
	for i, n := range []int{r.instruction, r.material, r.answer} {
		to.sizes[i] += n
	}
	for _, a := range r.attempts {
		to.took += a.took
	}
	if r.why != "" {
		to.whys[shortenedTo(r.why, 110)]++
	}
}

// markdown writes the table, a row per job and one of all.
func (t *table) markdown() string {
	var b strings.Builder
	b.WriteString("usable = whole, cites what was shown, copies nothing of the instruction, " +
		"nothing required is empty,\nnothing speaks of the task or is said twice, the program's checks pass;\n" +
		"unfit = the program takes it although it is not usable\n\n")
	b.WriteString("| job | asked | at once | after retry | unfit | refused " +
		"| instruction | material | answer | s | why not usable |\n" +
		strings.Repeat("|---", 11) + "|\n")
	all := &row{name: "**all**"}
	for _, r := range t.rows {
		all.asked += r.asked
		all.took += r.took
		for i, n := range r.outcomes {
			all.outcomes[i] += n
		}
		for i, n := range r.sizes {
			all.sizes[i] += n
		}
		r.write(&b)
	}
	all.write(&b)
	if n := len(t.out); n > 0 {
		slices.Sort(t.out)
		fmt.Fprintf(&b, "\n%d questions were left out for want of time (-within): %s\n", n,
			strings.Join(slices.Compact(t.out), "; "))
	}
	return b.String()
}

func (r *row) write(b *strings.Builder) {
	var whys []string
	for why := range r.whys {
		whys = append(whys, why)
	}
	slices.SortFunc(whys, func(x, y string) int { return cmp.Or(r.whys[y]-r.whys[x], strings.Compare(x, y)) })
	for i, why := range whys {
		whys[i] = strings.NewReplacer("|", "/", "\n", " ").Replace(why)
		if n := r.whys[why]; n > 1 {
			whys[i] = fmt.Sprintf("%d× %s", n, whys[i])
		}
	}
	n := max(r.asked, 1)
	fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %d | %d | %d | %d | %.1f | %s |\n", r.name, r.asked,
		r.outcomes[atOnce], r.outcomes[afterRetry],
		r.outcomes[takenUnfit], r.outcomes[refused], r.sizes[0]/n, r.sizes[1]/n, r.sizes[2]/n,
		r.took.Seconds()/float64(n), strings.Join(whys, "; "))
}

// shortenedTo keeps so many letters of a text, on one line.
func shortenedTo(text string, most int) string {
	r := []rune(strings.Join(strings.Fields(text), " "))
	if len(r) <= most {
		return string(r)
	}
	return string(r[:most]) + "…"
}

// dump writes a question with all that was answered into the folder of -prompts.
func dump(t *testing.T, s *story, j job, r result, repeat int) {
	t.Helper()
	if *dumpFlag == "" {
		return
	}
	if err := os.MkdirAll(*dumpFlag, 0o755); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s: %s %s\n", j.name, s.Name, r.outcome, r.why)
	shown := 0
	for i, a := range r.attempts {
		for _, m := range a.messages[min(shown, len(a.messages)):] {
			fmt.Fprintf(&b, "\n=== %s\n%s\n", m.Role, m.Content)
		}
		shown = len(a.messages)
		fmt.Fprintf(&b, "\n=== ANSWER %d (%d tokens of prompt, %d of answer, %.1f s, ended by %q)\n%s\n", i+1,
			a.prompt, a.reply, a.took.Seconds(), a.ending, a.answer)
	}
	name := fmt.Sprintf("%s-%s-%d.txt", strings.ReplaceAll(j.name, " ", "-"), s.Name, repeat+1)
	if err := os.WriteFile(filepath.Join(*dumpFlag, name), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// String names an outcome.
func (o outcome) String() string {
	return [...]string{"usable at once", "usable after a retry", "taken, and not usable:", "refused:"}[o]
}
