package demo

// newComfy returns a ComfyUI server for opts. Without a token delay, which is for tests, it
// paints small pictures at full speed, otherwise at a speed that can be watched. The caller
// must close it.
func newComfy(opts Options) *Comfy {
	o := ComfyOptions{StepDelay: -1, Largest: 256}
	if opts.TokenDelay > 0 {
		o.StepDelay, o.Largest = DefaultStepDelay, 0
	}
	return NewComfy(o)
}
