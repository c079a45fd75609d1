package comfy

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrorText explains err to a user, in whole sentences: what happened, and what to do. It is ""
// for nil. Names in it come from the server and the workflow file, so it must be sanitized before
// it is shown.
func ErrorText(err error) string {
	var rejected *RejectedError
	var run *RunError
	var editor *EditorFormatError
	var file *WorkflowError
	var fetch *FetchError
	var troubled *serverError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &editor):
		return sentence(editor.Error())
	case errors.As(err, &file):
		return sentence(file.Error())
	case errors.As(err, &fetch):
		return fetch.text()
	case errors.As(err, &troubled) && troubled.status < 502:
		return sentence(troubled.Error()) + " See its log, and restart it if the problem remains."
	case errors.As(err, &rejected):
		return rejected.text()
	case errors.As(err, &run):
		return run.text()
	case errors.Is(err, context.Canceled) && errors.Is(err, ErrStillOnServer):
		return "Cancelled. " + stillOnServerText
	case errors.Is(err, context.Canceled):
		return "Cancelled."
	}
	for _, p := range errorTexts() {
		if errors.Is(err, p.is) {
			if !p.cause {
				return p.text
			}
			return sentence(trimPrefixes(err)) + " " + p.text
		}
	}
	return sentence(trimPrefixes(err))
}

// trimPrefixes returns an error's text without the names of this program's operations in front.
func trimPrefixes(err error) string {
	text := err.Error()
	for strings.HasPrefix(text, "comfy ") || strings.HasPrefix(text, "comfy:") {
		_, rest, ok := strings.Cut(text, ": ")
		if !ok {
			break
		}
		text = rest
	}
	return clip(text, 600)
}

type errorText struct {
	is    error
	cause bool // the error's own text comes first
	text  string
}

const stillOnServerText = "The job is still on the ComfyUI server: the current node finishes first, or the server " +
	"does not respond."

func errorTexts() []errorText {
	return []errorText{
		{ErrStillOnServer, false, "ComfyUI made no progress for too long. " + stillOnServerText},
		{ErrTimeout, false, "ComfyUI made no progress for too long, so the job was cancelled. Another program may be " +
			"using the server; comfyui.timeout_seconds sets the time limit."},
		{context.DeadlineExceeded, false, "ComfyUI did not finish in time."},
		{ErrInterrupted, false,
			"The job was interrupted on the ComfyUI server, by someone else or from its own web page."},
		{ErrRestarted, false, "ComfyUI was restarted in the middle of the job, which is lost. Send it again."},
		{ErrJobGone, false,
			"The job no longer exists: ComfyUI was restarted or the job was deleted there. Send it again."},
		{ErrUnreachable, true, "Check that ComfyUI is running and that its address is right."},
		{ErrDenied, true,
			"Set its token or headers in comfyui.headers; if they are set, they may be wrong or expired."},
		{ErrNotComfy, true, "Check the address: ComfyUI usually listens on port 8188."},
		{ErrNoOutput, true, "A workflow needs a node that saves its picture or video, such as Save Image."},
		{ErrNoModel, true, "Put the file into ComfyUI's models folder, or choose another workflow."},
		{ErrFailed, false, "The workflow failed on the ComfyUI server, which gave no reason. See its log."},
	}
}

// sentence capitalises a text and adds a period.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	r := []rune(text)
	text = strings.ToUpper(string(r[0])) + string(r[1:])
	if !strings.ContainsAny(text[len(text)-1:], ".!?") {
		text += "."
	}
	return text
}

// label returns the name of a node for the user.
func label(id, class, title string) string {
	switch {
	case title != "" && class != "" && title != class:
		return fmt.Sprintf("%q (%s, node %s)", title, class, id)
	case title != "":
		return fmt.Sprintf("%q (node %s)", title, id)
	case class != "":
		return fmt.Sprintf("%s (node %s)", class, id)
	}
	return "node " + id
}

func (e *FetchError) text() string {
	text := sentence(e.Reason)
	if e.Folder != "" {
		text += fmt.Sprintf(" It is still on the ComfyUI server, in its %s folder, as %q.", e.Folder, e.Filename)
	}
	return text
}

func (e *RunError) text() string {
	at := label(e.Node, e.Class, e.Title)
	if e.OutOfMemory() {
		return fmt.Sprintf("The ComfyUI server ran out of memory in %s. Try a smaller size, unload the chat models "+
			"first, or close other programs that use the graphics card.", at)
	}
	message := strings.TrimSpace(clip(e.Message, 400))
	if message == "" {
		message = "no reason given"
	}
	kind := e.Type
	if i := strings.LastIndexByte(kind, '.'); i >= 0 {
		kind = kind[i+1:]
	}
	if kind != "" {
		kind = " with " + kind
	}
	words := sentence(fmt.Sprintf("The workflow failed in %s%s: %s", at, kind, message))
	if strings.Contains(strings.ToLower(message), "unauthorized") {
		words += " Nodes of paid services need an API key: set comfyui.api_key, or check it."
	}
	return words
}

func (e *RejectedError) text() string {
	switch e.Type {
	case "prompt_no_outputs":
		return "ComfyUI refused the workflow: it has no node that saves or previews a result. Add one, such as Save " +
			"Image."
	case "no_prompt":
		return "ComfyUI refused the workflow: it is empty."
	case "invalid_prompt_id":
		return "ComfyUI refused the id of the job. Send it again; if that does not help, this version of the program " +
			"is too old for the server."
	case "server_error":
		return "ComfyUI failed on this workflow (internal server error). It is probably not in API format: export it " +
			"with Workflow > Export (API)."
	}
	if e.Type == "dependency_cycle" && len(e.Faults) == 0 {
		return "ComfyUI refused the workflow: some of its nodes form a loop. " + sentence(clip(e.Details, 300))
	}
	if len(e.Faults) == 0 {
		if e.Type == "prompt_outputs_failed_validation" && e.Details == "" {
			return "ComfyUI refused the workflow without naming a node. Nodes that form a loop can cause this."
		}
		text := e.Message
		if e.Details != "" {
			text += " (" + e.Details + ")"
		}
		return sentence("ComfyUI refused the workflow: " + clip(text, 600))
	}
	const most = 4
	var lines []string
	for _, f := range e.Faults[:min(len(e.Faults), most)] {
		lines = append(lines, sentence(f.text()))
	}
	if more := len(e.Faults) - most; more > 0 {
		lines = append(lines, fmt.Sprintf("There are %d more problems.", more))
	}
	return "ComfyUI refused the workflow. " + strings.Join(lines, " ")
}

// text describes one fault, without a capital letter and period.
func (f NodeFault) text() string {
	at := label(f.Node, f.Class, f.Title)
	switch f.Type {
	case "value_not_in_list":
		return f.notInList(at)
	case "required_input_missing":
		return fmt.Sprintf("%s has no value for %q, which it needs", at, firstOf(f.Input, f.Details))
	case "invalid_input_type":
		if looksLikePlaceholder(f.Received) {
			return fmt.Sprintf("the placeholder %s was not replaced in %q of %s", f.Received, f.Input, at)
		}
		return fmt.Sprintf("%q of %s cannot be %q", f.Input, at, f.Received)
	case "value_smaller_than_min", "value_bigger_than_max":
		return fmt.Sprintf("%q of %s is out of range: %s", firstOf(f.Input, f.Details), at, lowerFirst(f.Message))
	case "return_type_mismatch":
		return fmt.Sprintf("the wrong type is connected to %q of %s: %s", f.Input, at, f.Details)
	case "bad_linked_input":
		return fmt.Sprintf("the connection to %q of %s is broken", firstOf(f.Input, f.Details), at)
	case "exception_during_validation":
		if id := strings.Trim(f.Details, "'"); id == "inputs" {
			return at + " has no inputs at all"
		} else if id != "" && len(id) < 20 && id != f.Details {
			return fmt.Sprintf("%s is connected to node %s, which is not in the workflow", at, id)
		}
		return fmt.Sprintf("%s could not be checked: %s", at, f.Details)
	case "exception_during_inner_validation":
		if id := strings.Trim(f.Details, "'"); id != "" && len(id) < 20 && id != f.Details {
			return fmt.Sprintf("what is connected to %q of %s leads to node %s, which is not in the workflow",
				f.Input, at, id)
		}
		return fmt.Sprintf("what is connected to %q of %s could not be checked: %s", f.Input, at, f.Details)
	case "dependency_cycle":
		return at + " is part of a loop of nodes"
	case "custom_validation_failed":
		if _, name, ok := strings.Cut(f.Details, "Invalid image file: "); ok {
			return fmt.Sprintf("the picture %q that %s loads is not on the server", name, at)
		}
		return fmt.Sprintf("%s refuses its input: %s", at, f.Details)
	case "missing_node_type":
		return f.unknownNode()
	case "invalid_prompt":
		if strings.Contains(f.Message, "does not exist") || strings.Contains(f.Message, "not found") {
			return f.unknownNode()
		}
	}
	return strings.TrimSpace(fmt.Sprintf("%s: %s %s", at, f.Message, f.Details))
}

func (f NodeFault) unknownNode() string {
	return fmt.Sprintf("the server does not know the node %s: a custom node is missing there (ComfyUI-Manager can "+
		"install missing custom nodes)", label(f.Node, f.Class, f.Title))
}

func (f NodeFault) notInList(at string) string {
	kind := inputKind(f.Input)
	name := firstOf(f.Received, f.Details)
	have := ""
	switch {
	case f.ChoicesKnown && len(f.Choices) == 0:
		have = "; it has none"
	case f.ChoicesKnown:
		have = "; it has: " + shortList(f.Choices, 8)
	default:
		if _, rest, ok := strings.Cut(f.Details, "(list of length "); ok {
			n, _, _ := strings.Cut(rest, ")")
			have = "; it has " + clip(n, 12) + " others"
		}
	}
	return fmt.Sprintf("the %s %q that %s needs is not on the server%s", kind, name, at, have)
}

func inputKind(input string) string {
	switch {
	case input == "ckpt_name":
		return "checkpoint"
	case input == "unet_name":
		return "diffusion model"
	case strings.HasPrefix(input, "lora"):
		return "LoRA"
	case input == "vae_name":
		return "VAE"
	case strings.HasPrefix(input, "clip_name"):
		return "text encoder"
	case input == "control_net_name":
		return "ControlNet"
	case input == "model_name":
		return "model"
	case input == "sampler_name":
		return "sampler"
	case input == "image":
		return "picture"
	case input == "":
		return "value"
	}
	return input
}

func shortList(list []string, most int) string {
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

func looksLikePlaceholder(s string) bool {
	return len(s) > 2 && len(s) < 60 && ((s[0] == '%' && s[len(s)-1] == '%') || strings.HasPrefix(s, "{{") ||
		strings.HasPrefix(s, "__"))
}
