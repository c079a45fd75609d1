package novel_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/epubtest"
	"github.com/ghostlight-theatre/ghostlight/engine/library/novel"
)

func story() novel.Story {
	return novel.Story{ID: "urn:uuid:01020304-0506-4708-890a-0b0c0d0e0f10", Title: "The <Ghost> & the \"Light\"", Cast: []string{"Ada", "Bo\u202e"}, Persona: "Sam",
		From: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), To: time.Date(2026, 4, 2, 12, 0, 0, 0, time.UTC), Modified: time.Date(2026, 5, 3, 1, 2, 3, 0, time.UTC),
		Language: "en", Chapters: []string{"On the quay", "]]> <b>", ""}}
}

var hostile = []string{
	"\x00\x01\x1b[31mred\x7f\u009b", "]]> <![CDATA[ x ]]>", "\xed\xa0\x80 a surrogate \xff\xfe", "\ufffe\uffff\U0001ffff", "&#1; &#xD800; &#0; &nbsp; &bogus; &lt;script&gt;",
	"<script>alert(1)</script> <img src=x onerror=alert(1)> <!-- c --> <?php ?>", "[a](javascript:alert(1)) ![b](https://example.invalid/x.png) <https://example.invalid> [r]: https://example.invalid",
	"👩‍👩‍👧‍👦 ❤️ 👍🏽 \U000e0041", "שלום *עולם* \"אמר\"", "مرحبا", strings.Repeat("Donaudampf", 20_000), strings.Repeat(">", 60_000) + " deep", strings.Repeat("- ", 30_000) + "x",
	strings.Repeat("*", 50_000) + "a", strings.Repeat("[", 50_000), strings.Repeat("`", 50_000), strings.Repeat("![", 20_000) + strings.Repeat("](", 20_000), strings.Repeat("_a ", 20_000), strings.Repeat("~~a", 20_000),
	strings.Repeat("\"a ", 30_000), strings.Repeat("((", 30_000), "| a | b |\n|:--|--:|\n| <i> | *x* |\n", "# One\n\nTwo\n---\nthree\n===\n", "```html\n<b>&</b>\n", "    indented, no code", "1. a\n2. b\n   - c\n\n99999999999. d",
	"*She leans in, \"closer\" than* \"before, *much* closer.\"\n\"And then?\"", "", "   \n\n  ",
}

func pieces(texts []string, images int) iter.Seq2[novel.Piece, error] {
	return func(yield func(novel.Piece, error) bool) {
		list := []novel.Piece{{Kind: novel.Chapter}}
		for i, t := range texts {
			list = append(list, novel.Piece{Kind: novel.Spoken, Name: "Ada <" + t[:min(9, len(t))], Text: t, Swipes: []string{t}, User: i%2 == 0, Whisper: i%3 == 0}, novel.Piece{Kind: novel.Narrated, Text: t})
			if i == len(texts)/2 {
				list = append(list, novel.Piece{Kind: novel.Recap, Text: "## Key\n- " + t}, novel.Piece{Kind: novel.Chapter})
			}
		}
		list = append(list, novel.Piece{Kind: novel.Chapter})
		for i := range images {
			list = append(list, novel.Piece{Kind: novel.Picture, Picture: fmt.Sprint(i), Caption: hostile[i%9]})
		}
		for _, p := range list {
			if !yield(p, nil) {
				return
			}
		}
	}
}

func picture(key string) (novel.Image, error) {
	if key == "1" {
		return novel.Image{}, errors.New("gone")
	}
	var b bytes.Buffer
	err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 3)))
	return novel.Image{Format: "png", Data: b.Bytes(), Width: 4, Height: 3}, err
}

func write(t testing.TB, f novel.Format, s novel.Story, p iter.Seq2[novel.Piece, error]) ([]byte, novel.Report) {
	t.Helper()
	var out bytes.Buffer
	r, err := novel.Write(&out, f, s, p, picture)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), r
}

func TestWrite_ABookOfHostileTextIsValid(t *testing.T) {
	data, r := write(t, novel.EPUB, story(), pieces(hostile, 4))
	if err := epubtest.Faults(data); err != nil {
		t.Error(err)
	}
	if r.Chapters != 3 || r.Pictures != 3 || r.Missing != 1 {
		t.Errorf("%+v", r)
	}
	for _, one := range hostile { // each by itself, so that none hides another's fault
		data, _ := write(t, novel.EPUB, novel.Story{ID: "x", Title: one, Cast: []string{one}, Persona: one, Chapters: []string{one}, Language: one}, pieces([]string{one}, 0))
		if err := epubtest.Faults(data); err != nil {
			t.Errorf("%.40q: %v", one, err)
		}
	}
}

func TestWrite_APageHasAllInItself(t *testing.T) {
	data, _ := write(t, novel.HTML, story(), pieces(hostile, 4))
	text := string(data)
	for _, bad := range []string{"<script", "<img src=x", "http://", "\x00", "\x1b"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	for _, src := range strings.Split(text, `src="`)[1:] {
		if !strings.HasPrefix(src, "data:image/png;base64,") {
			t.Errorf("a picture from %.40s", src)
		}
	}
	if strings.Count(text, `href="`) != 3 || strings.Count(text, `href="#chapter`) != 3 {
		t.Error("the contents do not lead to the chapters alone")
	}
	d := xml.NewDecoder(strings.NewReader(text)) // it happens to be XML, too
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func body(t *testing.T, text string) string {
	t.Helper()
	data, _ := write(t, novel.HTML, novel.Story{ID: "x", Title: "T", Chapters: []string{""}}, func(yield func(novel.Piece, error) bool) {
		_ = yield(novel.Piece{Kind: novel.Chapter}, nil) && yield(novel.Piece{Kind: novel.Narrated, Text: text}, nil)
	})
	_, after, _ := strings.Cut(string(data), `<div class="told"`)
	_, after, _ = strings.Cut(after, ">\n")
	out, _, _ := strings.Cut(after, "</div>")
	return strings.TrimSpace(out)
}

func TestProse(t *testing.T) {
	for text, want := range map[string]string{
		`*She nods.* "Yes, *please*," and left.`: `<p><em>She nods.</em> <span class="speech">&quot;Yes, <em>please</em>,&quot;</span> and left.</p>`,
		"one\ntwo":                               "<p>one<br />\ntwo</p>",
		"one\n---\ntwo":                          "<p>one</p>\n<hr />\n<p>two</p>",
		"    far in":                             "<p>far in</p>",
		"a <sigh> & b":                           "<p>a &lt;sigh&gt; &amp; b</p>",
		"# Loud":                                 "<h3>Loud</h3>",
		"[x](https://e.invalid)":                 "<p>x (https://e.invalid)</p>",
		"![cat](c.png)":                          "<p>[picture: cat]</p>",
		"[1]: it stays":                          "<p>[1]: it stays</p>",
		"“A”\n„B“ «C»":                           `<p><span class="speech">“A”</span><br />` + "\n" + `<span class="speech">„B“</span> <span class="speech">«C»</span></p>`,
		"~~no~~":                                 "<p><del>no</del></p>",
		"6\" of rain":                            "<p>6&quot; of rain</p>",
		`\"no\" speech`:                          "<p>&quot;no&quot; speech</p>",
		"```\n<b>\n":                             "<pre><code>&lt;b&gt;\n</code></pre>",
		"|a|b|\n|:-|--|\n|1|2|":                  "<table>\n<thead>\n<tr>\n<th style=\"text-align:left\">a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td style=\"text-align:left\">1</td>\n<td>2</td>\n</tr>\n</tbody>\n</table>",
		"\"unclosed\n\n\"closed\" and \"not":     "<p>&quot;unclosed</p>\n<p><span class=\"speech\">&quot;closed&quot;</span> and &quot;not</p>",
	} {
		if got := body(t, text); got != want {
			t.Errorf("%q\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestInCharacter(t *testing.T) {
	for text, want := range map[string]string{
		"She nods. ((brb)) He waits.":    "She nods.  He waits.",
		"((all of it))":                  "",
		"(OOC: wait) \"Yes.\"":           "\"Yes.\"",
		"[ooc stop] a":                   "a",
		"a\nOOC: more\nb":                "a\nb",
		"((it never ends":                "((it never ends",
		"(oocyte) stays, a((b stays":     "(oocyte) stays, a((b stays",
		"nothing to see (really) [here]": "nothing to see (really) [here]",
	} {
		if got := novel.RemoveOOC(text); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
}

func TestTongue(t *testing.T) {
	for text, want := range map[string]string{
		"the cat and the dog went to the house of the king with her": "en false", "שלום עולם": "he true", "مرحبا بالعالم": "und-Arab true", "ich bin nicht der Mann und das ist die Frau": "de false",
		"日本語のテキストです": "ja false", "xyzzy": " false", "": " false",
	} {
		l, rtl := novel.DetectLanguage(text)
		if got := fmt.Sprint(l, " ", rtl); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestWrite_MarkdownAndText(t *testing.T) {
	texts := []string{"# Loud\nShe <sighs>\nover\n---\nand", "```\ncode <b>"}
	md, _ := write(t, novel.Markdown, story(), pieces(texts, 1))
	for _, want := range []string{"# The \\<Ghost\\> \\& the \"Light\"\n", "## On the quay\n", "### Loud", "She \\<sighs>  \nover", "over  \n\n---", "```\ncode <b>\n```\n", "**Another swipe**"} {
		if !strings.Contains(string(md), want) {
			t.Errorf("%q is not in\n%s", want, md)
		}
	}
	text, _ := write(t, novel.Text, story(), pieces(texts, 1))
	for _, want := range []string{"The <Ghost> & the \"Light\"\n=====", "On the quay\n-----------\n", "# Loud\nShe <sighs>\nover\n---\nand", "With Ada and Bo\n", "1 March 2026 – 2 April 2026"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

func FuzzProse(f *testing.F) {
	for _, h := range hostile {
		if len(h) < 500 {
			f.Add(h)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 20_000 {
			return
		}
		data, _ := write(t, novel.EPUB, novel.Story{ID: "x", Title: text, Chapters: []string{text}}, pieces([]string{text, novel.RemoveOOC(text)}, 0))
		if err := epubtest.Faults(data); err != nil {
			t.Error(err)
		}
	})
}
