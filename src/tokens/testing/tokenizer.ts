/** Shared by tests: the layout of many chat models. */

/** The ChatML layout that many models share. */
export const CHATML = `{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`

export const CHATML_SPECIAL = ['<|endoftext|>', '<|im_start|>', '<|im_end|>']
