import { byteTokenizerFile } from '../../src/tokens/index.ts'

/**
 * The miniature's tokenizer: the 256 bytes (so any text can be written), and the phrases and words of the games as added
 * tokens, matched longest first. "drawer 3" is two tokens: what is needed and what is listed share one, so that looking for
 * a thing is matching a token. Nothing is learned from data; the names are those of ALFWorld's training rooms.
 */

const RECEPTACLES: string[] = [
  'armchair', 'bathtubbasin', 'bed', 'cabinet', 'cart', 'coffeemachine', 'coffeetable', 'countertop', 'desk',
  'diningtable', 'drawer', 'dresser', 'fridge', 'garbagecan', 'handtowelholder', 'laundryhamper', 'microwave', 'ottoman',
  'safe', 'shelf', 'sidetable', 'sinkbasin', 'sofa', 'stoveburner', 'toaster', 'toilet', 'toiletpaperhanger',
  'towelholder', 'tvstand',
] // biome-ignore format: a table

const OBJECTS: string[] = [
  'alarmclock', 'apple', 'baseballbat', 'basketball', 'book', 'boots', 'bowl', 'box', 'bread', 'butterknife', 'candle',
  'cd', 'cellphone', 'cloth', 'creditcard', 'cup', 'desklamp', 'dishsponge', 'egg', 'floorlamp', 'footstool', 'fork',
  'glassbottle', 'handtowel', 'houseplant', 'kettle', 'keychain', 'knife', 'ladle', 'laptop', 'lettuce', 'mug',
  'newspaper', 'pan', 'papertowelroll', 'pen', 'pencil', 'peppershaker', 'pillow', 'plate', 'plunger', 'pot', 'potato',
  'remotecontrol', 'saltshaker', 'scrubbrush', 'soapbar', 'soapbottle', 'spatula', 'spoon', 'spraybottle', 'statue',
  'teddybear', 'television', 'tennisracket', 'tissuebox', 'toiletpaper', 'tomato', 'towel', 'vase', 'watch',
  'wateringcan', 'winebottle',
] // biome-ignore format: a table

/** Highest number with a token of its own; ALFWorld's rooms have up to 27 drawers. Higher ones are spelled in bytes. */
const HIGHEST_NUMBER = 40

export const SPECIAL = { user: '<|user|>', assistant: '<|assistant|>', end: '<|end|>', pad: '<|pad|>' } as const

const PHRASES: string[] = [
  '<thinking>', '</thinking>', '<next_state>', '</next_state>', '\nPredict what follows: ',
  '-= Welcome to TextWorld, ALFRED! =-\n\n', 'You are in the middle of a room. Looking quickly around you, you see',
  '\n\nYour task is to:', ' a', ', a', ', and a', ' nothing', '.', ',', ' and', ' in', ' on', ' it', ' them', ' with',
  ' from', ' to', ' put', ' two', ' some', ' find', ' heat', ' cool', ' clean', ' hot', ' cold', ' look at', ' examine',
  ' under the', ' the', ' put it in', ' put them in', ' is', ' normal',
  'You arrive at', '. On the', ', you see', '. The', ' is closed.', ' is open.', ' is open. In it, you see', 'On the',
  'The', 'You open the', 'You close the', '. In it, you see', 'You pick up the', ' from the', 'You move the', ' to the',
  'You put the', ' in/on the', 'You heat the', 'You clean the', 'You cool the', ' using the', 'You turn on the',
  'You sliced the', ' with the', 'You are carrying: a', 'You are not carrying anything.', 'Nothing happens.',
  'You are facing the', '. Next to it, you see', 'This is a', ' normal', '. In it, you see nothing.',
  "There's nothing special about", ' sliced', 'This', ' is on.', ' is off.',
  'go to', 'open', 'close', 'examine', 'take', 'move', 'put', 'clean', 'heat', 'cool', 'use', 'slice', 'look',
  'inventory', 'help',
  'need', 'have', 'wander', ' need', ' see', ' not here', ' shut',
  'new', 'known', 'shut', 'bare', 'works', 'fails', 'here', 'hands',
  ' ', '\n',
] // biome-ignore format: a table

function names(): string[] {
  const numbers = Array.from({ length: HIGHEST_NUMBER }, (_, i) => ` ${i + 1}`)
  return [...[...RECEPTACLES, ...OBJECTS].map((type) => ` ${type}`), ...numbers]
}

/** Contents of `tokenizer.json` and `tokenizer_config.json` (chat template included), and the ids the config needs. */
export function miniTokenizer(): {
  tokenizer: object
  tokenizerConfig: object
  vocabularySize: number
  padId: number
  endId: number
} {
  const special = Object.values(SPECIAL)
  const phrases = [...new Set([...PHRASES, ...names()])]
  return {
    tokenizer: byteTokenizerFile(special, phrases),
    tokenizerConfig: {
      tokenizer_class: 'PreTrainedTokenizerFast',
      clean_up_tokenization_spaces: false,
      model_max_length: 1024,
      eos_token: SPECIAL.end,
      pad_token: SPECIAL.pad,
      chat_template:
        "{% for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] }}{% if message['role'] == 'assistant' %}{{ '<|end|>' }}{% endif %}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}",
    },
    vocabularySize: 256 + special.length + phrases.length,
    padId: 256 + special.indexOf(SPECIAL.pad),
    endId: 256 + special.indexOf(SPECIAL.end),
  }
}
