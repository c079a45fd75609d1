package config

// Images says how pictures are handled that are asked for in the talk.
type Images struct {
	// Off: nobody looks for such requests.
	Off bool
	// Unasked: they are painted without a look at the prompt.
	Unasked bool
}

// VRAM says what is done about the memory of the graphics card around a
// picture. A language model and a picture model rarely fit in it together.
type VRAM struct {
	KeepOllama bool // do not unload the language models before it
	FreeComfy  bool // have ComfyUI free its memory after it
}
