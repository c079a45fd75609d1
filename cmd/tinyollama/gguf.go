package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// The models are of the llama kind, in the GGUF format, with weights drawn from
// a fixed seed: the same program always writes the same bytes.
//
// Random weights alone would print noise for ever. So the first number of every
// token's embedding is a constant, much bigger than the rest. It passes through
// the model nearly unchanged, and what the output matrix multiplies it with
// decides how likely each token is on the whole. That makes words more frequent
// than loose bytes, and lets sentences, replies, JSON strings and thoughts end.
const (
	width     = 64
	layers    = 2
	heads     = 4
	kvHeads   = 2
	headWidth = 16
	hidden    = 128
	context32 = 32768
	alignment = 32
	seed      = 1882

	// normScale is about what the constant grows to in the last normalisation:
	// sqrt(width) when it outweighs all the other numbers.
	normScale = 7.4
)

// Types of values and of tokens, as GGUF numbers them.
const (
	typeUint32  = 4
	typeInt32   = 5
	typeFloat32 = 6
	typeBool    = 7
	typeString  = 8
	typeArray   = 9

	tokenNormal  = 1
	tokenControl = 3
	tokenUser    = 4
)

const (
	beginOfTurn = "<|im_start|>"
	endOfTurn   = "<|im_end|>"
)

// lexicon is the models' most likely words.
const lexicon = `the a and but of to in on at by for with from into over under behind before after then
when while where why how
who what is was are were be been has had will would can could may must not never always again still only just even
I you he she it we they me him her us them my your his its our their this that these those here there
stage light lamp curtain ghost shadow mask voice word line scene act play part mirror door key stair
hand eyes face heart breath smile step turn look wait ask tell know think feel want need remember forget
night rain snow wind fire gold dust silence music applause slowly softly old young last first empty`

// token is one entry of the vocabulary. weight is the logarithm of how likely it
// is, up to a constant that is the same for all.
type token struct {
	text   string
	kind   int32
	weight float64
}

// vocabulary is a byte-level tokenizer with whole words on top: every byte is a
// token, and merges build the words from left to right.
type vocabulary struct {
	tokens []token
	index  map[string]int
	merges []string
}

func newVocabulary(thinks bool) *vocabulary {
	v := &vocabulary{index: map[string]int{}}
	v.add("<|endoftext|>", tokenControl, -20)
	v.add(beginOfTurn, tokenControl, -20)
	v.add(endOfTurn, tokenControl, 3.7)
	if thinks {
		v.add("<think>", tokenUser, -20)
		v.add("</think>", tokenUser, 4)
	}
	letters := byteAlphabet()
	for b, r := range letters {
		v.add(string(r), tokenNormal, byteWeight(byte(b)))
	}
	space := string(letters[' '])
	for word := range strings.FieldsSeq(lexicon) {
		v.addWord(space+word, 2)
		v.addWord(word, -3)
	}
	// Merges that begin with a blank come first: a text that the model wrote is read as the
	// tokens that it wrote, as with trained models, and not cut within its words.
	slices.SortStableFunc(v.merges, func(a, b string) int {
		return cmp.Compare(strings.Index(b, space), strings.Index(a, space))
	})
	return v
}

// add appends a token, or makes an existing one more likely.
func (v *vocabulary) add(text string, kind int32, weight float64) {
	if i, ok := v.index[text]; ok {
		v.tokens[i].weight = max(v.tokens[i].weight, weight)
		return
	}
	v.index[text] = len(v.tokens)
	v.tokens = append(v.tokens, token{text, kind, weight})
}

// addWord appends a word and its prefixes, which merges need.
func (v *vocabulary) addWord(word string, weight float64) {
	runes := []rune(word)
	for n := 2; n <= len(runes); n++ {
		part := string(runes[:n])
		if _, ok := v.index[part]; !ok {
			v.merges = append(v.merges, string(runes[:n-1])+" "+string(runes[n-1]))
		}
		v.add(part, tokenNormal, -3)
	}
	v.add(word, tokenNormal, weight)
}

// byteAlphabet maps every byte to a printable character of its own, as all tokenizers of this
// family do: printable bytes map to themselves, the others in order from U+0100.
func byteAlphabet() (letters [256]rune) {
	next := rune(0x100)
	for b := range letters {
		if b > ' ' && b < 0x7f || b > 0xa0 && b != 0xad {
			letters[b] = rune(b)
			continue
		}
		letters[b] = next
		next++
	}
	return letters
}

// byteWeight keeps loose bytes rare, except those that end something.
func byteWeight(b byte) float64 {
	switch {
	case b == '"':
		return 4
	case b == '.', b == ',':
		return 3
	case strings.IndexByte("*?!\n", b) >= 0:
		return 1.5
	case strings.IndexByte(" {}[]:-'0123456789", b) >= 0:
		return 0
	case b >= 'a' && b <= 'z':
		return 0.2
	case b >= 'A' && b <= 'Z':
		return -1
	case b > ' ' && b < 0x7f:
		return -3
	}
	return -8
}

// tensor is a matrix or a vector. shape begins with the length of a row.
type tensor struct {
	name   string
	shape  []uint64
	values []float32
}

// randomTensors makes the weights for a vocabulary.
func randomTensors(v *vocabulary) []tensor {
	r := rand.New(rand.NewPCG(seed, seed))
	matrix := func(name string, in, out int, spread float64) tensor {
		t := tensor{name, []uint64{uint64(in), uint64(out)}, make([]float32, in*out)}
		for i := range t.values {
			t.values[i] = float32(r.NormFloat64() * spread)
		}
		return t
	}
	norm := func(name string) tensor {
		t := tensor{name, []uint64{width}, make([]float32, width)}
		for i := range t.values {
			t.values[i] = 1
		}
		return t
	}
	n := len(v.tokens)
	in, out := matrix("token_embd.weight", width, n, 0.05), matrix("output.weight", width, n, 0.22)
	for i, t := range v.tokens {
		in.values[i*width] = 1
		out.values[i*width] = float32(t.weight / normScale)
	}
	all := []tensor{in}
	for l := range layers {
		p := "blk." + strconv.Itoa(l) + "."
		all = append(all,
			norm(p+"attn_norm.weight"),
			matrix(p+"attn_q.weight", width, heads*headWidth, 0.3),
			matrix(p+"attn_k.weight", width, kvHeads*headWidth, 0.3),
			matrix(p+"attn_v.weight", width, kvHeads*headWidth, 0.1),
			matrix(p+"attn_output.weight", heads*headWidth, width, 0.01),
			norm(p+"ffn_norm.weight"),
			matrix(p+"ffn_gate.weight", width, hidden, 0.1),
			matrix(p+"ffn_up.weight", width, hidden, 0.1),
			matrix(p+"ffn_down.weight", hidden, width, 0.01),
		)
	}
	return append(all, norm("output_norm.weight"), out)
}

// tinyGGUF writes a whole model file.
func tinyGGUF(thinks bool) []byte {
	v := newVocabulary(thinks)
	var meta writer
	count := meta.describe(v)
	all := randomTensors(v)

	var w writer
	w.WriteString("GGUF")
	w.number(uint32(3), uint64(len(all)), uint64(count))
	_, _ = meta.WriteTo(&w)
	offset := 0
	for _, t := range all {
		w.text(t.name)
		w.number(uint32(len(t.shape)), t.shape, uint32(0 /* float32 */), uint64(offset))
		offset += aligned(4 * len(t.values))
	}
	w.pad()
	for _, t := range all {
		w.number(t.values)
		w.pad()
	}
	return w.Bytes()
}

// writer writes the parts of a GGUF file.
type writer struct{ bytes.Buffer }

// describe writes all metadata of the model and returns their number.
func (w *writer) describe(v *vocabulary) int {
	n := 0
	fact := func(key string, kind uint32, values ...any) {
		n++
		w.text(key)
		w.number(kind)
		for _, one := range values {
			if s, ok := one.(string); ok {
				w.text(s)
				continue
			}
			w.number(one)
		}
	}
	fact("general.architecture", typeString, "llama")
	fact("general.name", typeString, "Tiny")
	fact("general.file_type", typeUint32, uint32(0))
	for _, f := range []struct {
		key   string
		value uint32
	}{
		{"block_count", layers}, {"context_length", context32}, {"embedding_length", width},
		{"feed_forward_length", hidden},
		{"attention.head_count", heads}, {"attention.head_count_kv", kvHeads}, {"attention.key_length", headWidth},
		{"attention.value_length", headWidth}, {"rope.dimension_count", headWidth},
		{"vocab_size", uint32(len(v.tokens))},
	} {
		fact("llama."+f.key, typeUint32, f.value)
	}
	fact("llama.rope.freq_base", typeFloat32, float32(500000))
	fact("llama.attention.layer_norm_rms_epsilon", typeFloat32, float32(1e-5))

	fact("tokenizer.ggml.model", typeString, "gpt2")
	fact("tokenizer.ggml.pre", typeString, "qwen2")
	texts, kinds := []any{uint32(typeString), uint64(len(v.tokens))}, make([]int32, len(v.tokens))
	for i, t := range v.tokens {
		texts, kinds[i] = append(texts, t.text), t.kind
	}
	merges := []any{uint32(typeString), uint64(len(v.merges))}
	for _, m := range v.merges {
		merges = append(merges, m)
	}
	fact("tokenizer.ggml.tokens", typeArray, texts...)
	fact("tokenizer.ggml.token_type", typeArray, uint32(typeInt32), uint64(len(kinds)), kinds)
	fact("tokenizer.ggml.merges", typeArray, merges...)
	fact("tokenizer.ggml.bos_token_id", typeUint32, uint32(v.index["<|endoftext|>"]))
	fact("tokenizer.ggml.eos_token_id", typeUint32, uint32(v.index[endOfTurn]))
	fact("tokenizer.ggml.padding_token_id", typeUint32, uint32(v.index["<|endoftext|>"]))
	fact("tokenizer.ggml.add_bos_token", typeBool, false)
	return n
}

// number writes numbers, or slices of them, in little-endian order.
func (w *writer) number(values ...any) {
	for _, v := range values {
		if f, ok := v.([]float32); ok { // the bulk of the file, without reflection
			for _, x := range f {
				w.Write(binary.LittleEndian.AppendUint32(w.AvailableBuffer(), math.Float32bits(x)))
			}
			continue
		}
		_ = binary.Write(w, binary.LittleEndian, v) // a buffer takes everything
	}
}

func (w *writer) text(s string) {
	w.number(uint64(len(s)))
	w.WriteString(s)
}

func (w *writer) pad() {
	for w.Len()%alignment != 0 {
		w.WriteByte(0)
	}
}

func aligned(n int) int { return (n + alignment - 1) / alignment * alignment }
