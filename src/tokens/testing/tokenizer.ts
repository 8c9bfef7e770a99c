/** Shared by tests: the layout of many chat models. */

/** The ChatML layout that many models share. */
export const CHATML = `{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`

export const CHATML_SPECIAL = ['<|endoftext|>', '<|im_start|>', '<|im_end|>']

/** What templates of models with tools and thoughts do, in small: calls and results in tags, old thoughts left out. */
export const CHATML_TOOLS = `{%- set first = messages[0] %}
{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- if first.role == 'system' %}{{- first.content + '\\n\\n' }}{%- endif %}
    {{- '<tools>' }}{%- for tool in tools %}{{- '\\n' + (tool | tojson) }}{%- endfor %}{{- '\\n</tools><|im_end|>\\n' }}
{%- elif first.role == 'system' %}
    {{- '<|im_start|>system\\n' + first.content + '<|im_end|>\\n' }}
{%- endif %}
{%- set said = namespace(last=0) %}
{%- for message in messages %}{%- if message.role == 'user' %}{%- set said.last = loop.index0 %}{%- endif %}{%- endfor %}
{%- for message in messages %}
    {%- if message.role == 'user' %}
        {{- '<|im_start|>user\\n' + message.content + '<|im_end|>\\n' }}
    {%- elif message.role == 'assistant' %}
        {%- set content = message.content %}
        {%- if '</think>' in content and loop.index0 < said.last %}
            {%- set content = (content.split('</think>') | last).lstrip('\\n') %}
        {%- endif %}
        {{- '<|im_start|>assistant\\n' + content }}
        {%- for call in message.tool_calls or [] %}
            {%- if content or not loop.first %}{{- '\\n' }}{%- endif %}
            {{- '<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' + (call.function.arguments | tojson) + '}\\n</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>\\n' }}
    {%- elif message.role == 'tool' %}
        {%- if messages[loop.index0 - 1].role != 'tool' %}{{- '<|im_start|>user' }}{%- endif %}
        {{- '\\n<tool_response>\\n' + message.content + '\\n</tool_response>' }}
        {%- if loop.last or messages[loop.index0 + 1].role != 'tool' %}{{- '<|im_end|>\\n' }}{%- endif %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}
{%- endif %}`
