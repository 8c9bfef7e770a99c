import { byteTokenizerFile } from '../../src/tokens/index.ts'

/**
 * The miniature's tokenizer: the 256 bytes (so any text can be written), and whole phrases and entities of the games as
 * added tokens, matched longest first. "drawer 3" is one token: an action copies it from an observation in one step.
 * Nothing is learned from data; counts of rooms and things come from ALFWorld's 200 `valid_train` games (MIT).
 */

/** Receptacle types and the highest number each is given (the largest seen in a training room, and a little more). */
const RECEPTACLES: Record<string, number> = {
  armchair: 4, bathtubbasin: 1, bed: 2, cabinet: 30, cart: 1, coffeemachine: 2, coffeetable: 3, countertop: 5, desk: 3,
  diningtable: 4, drawer: 30, dresser: 3, fridge: 1, garbagecan: 2, handtowelholder: 4, laundryhamper: 1, microwave: 1,
  ottoman: 2, safe: 2, shelf: 15, sidetable: 6, sinkbasin: 2, sofa: 3, stoveburner: 6, toaster: 1, toilet: 1,
  toiletpaperhanger: 2, towelholder: 3, tvstand: 2,
} // biome-ignore format: a table

const OBJECTS: string[] = [
  'alarmclock', 'apple', 'baseballbat', 'basketball', 'book', 'boots', 'bowl', 'box', 'bread', 'butterknife', 'candle',
  'cd', 'cellphone', 'cloth', 'creditcard', 'cup', 'desklamp', 'dishsponge', 'egg', 'floorlamp', 'footstool', 'fork',
  'glassbottle', 'handtowel', 'houseplant', 'kettle', 'keychain', 'knife', 'ladle', 'laptop', 'lettuce', 'mug',
  'newspaper', 'pan', 'papertowelroll', 'pen', 'pencil', 'peppershaker', 'pillow', 'plate', 'plunger', 'pot', 'potato',
  'remotecontrol', 'saltshaker', 'scrubbrush', 'soapbar', 'soapbottle', 'spatula', 'spoon', 'spraybottle', 'statue',
  'teddybear', 'television', 'tennisracket', 'tissuebox', 'toiletpaper', 'tomato', 'towel', 'vase', 'watch',
  'wateringcan', 'winebottle',
] // biome-ignore format: a table

/** Copies of one object type that get a token of their own; higher numbers are spelled in bytes. */
const OBJECT_COPIES = 7

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
  'need', 'have', 'wander', ' need', ' see', ' none', ' shut',
  'new', 'known', 'shut', 'bare', 'works', 'fails', 'here', 'hands',
  ' ', '\n',
] // biome-ignore format: a table

function entities(): string[] {
  const names: string[] = []
  for (const [type, count] of Object.entries(RECEPTACLES)) {
    names.push(` ${type}`)
    for (let i = 1; i <= count; i++) names.push(` ${type} ${i}`)
  }
  for (const type of OBJECTS) {
    names.push(` ${type}`)
    for (let i = 1; i <= OBJECT_COPIES; i++) names.push(` ${type} ${i}`)
  }
  return names
}

/** Contents of `tokenizer.json` and `tokenizer_config.json` (chat template included), and the ids the config needs. */
export function miniTokenizer(): {
  tokenizer: object
  tokenizerConfig: object
  vocabularySize: number
  endId: number
} {
  const special = Object.values(SPECIAL)
  const phrases = [...new Set([...PHRASES, ...entities()])]
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
    endId: 256 + special.indexOf(SPECIAL.end),
  }
}
