export interface Instruction {
  id: string
  kwargs: Record<string, unknown>
}

const RELATIONS = ['less than', 'at least']

/** Every kind, and where something is counted many thresholds, so that the counts themselves are compared. */
export const INSTRUCTIONS: Instruction[] = [
  ...[['war', 'peace'], ['lake'], ['colou?r'], ['İstanbul'], ['state', 'kelvin'], ['c\\+\\+'], ['strasse']].map(
    (keywords) => ({ id: 'keywords:existence', kwargs: { keywords } }),
  ),
  ...['the', ' war ', 'é', 'e.g.', 'I'].flatMap((keyword) =>
    compared('keywords:frequency', [1, 2, 4, 8], (frequency, relation) => ({ keyword, frequency, relation })),
  ),
  ...[['war', 'peace'], ['the'], ['No'], ['S', 'school'], ['дом', 'état', 'यह'], ['p.m']].map((forbidden_words) => ({
    id: 'keywords:forbidden_words',
    kwargs: { forbidden_words },
  })),
  ...['e', 'Z', 'k'].flatMap((letter) =>
    compared('keywords:letter_frequency', [1, 3, 9, 27], (let_frequency, let_relation) => ({
      letter,
      let_frequency,
      let_relation,
    })),
  ),
  ...['en', 'de', 'ur', 'ko'].map((language) => ({ id: 'language:response_language', kwargs: { language } })),
  ...compared('length_constraints:number_sentences', [1, 2, 4, 6, 9], (num_sentences, relation) => ({
    num_sentences,
    relation,
  })),
  ...[1, 2, 3, 4].map((num_paragraphs) => ({ id: 'length_constraints:number_paragraphs', kwargs: { num_paragraphs } })),
  ...compared('length_constraints:number_words', [1, 2, 5, 10, 20, 30, 50, 80], (num_words, relation) => ({
    num_words,
    relation,
  })),
  ...[
    [1, 1],
    [2, 1],
    [2, 2],
    [3, 2],
    [3, 3],
    [4, 4],
  ].flatMap(([num_paragraphs, nth_paragraph]) =>
    ['However', 'the', 'first'].map((first_word) => ({
      id: 'length_constraints:nth_paragraph_first_word',
      kwargs: { num_paragraphs, nth_paragraph, first_word },
    })),
  ),
  ...[1, 2, 3, 5].map((num_placeholders) => ({
    id: 'detectable_content:number_placeholders',
    kwargs: { num_placeholders },
  })),
  ...['P.S.', 'P.P.S', 'P.P.S.', 'PS', ' Bye '].map((postscript_marker) => ({
    id: 'detectable_content:postscript',
    kwargs: { postscript_marker },
  })),
  ...[1, 2, 3, 4, 5].map((num_bullets) => ({ id: 'detectable_format:number_bullet_lists', kwargs: { num_bullets } })),
  { id: 'detectable_format:constrained_response', kwargs: {} },
  ...[1, 2, 3, 5, 8].map((num_highlights) => ({
    id: 'detectable_format:number_highlighted_sections',
    kwargs: { num_highlights },
  })),
  ...['Section', 'SECTION', ' PART '].flatMap((section_spliter) =>
    [1, 2, 3].map((num_sections) => ({
      id: 'detectable_format:multiple_sections',
      kwargs: { section_spliter, num_sections },
    })),
  ),
  { id: 'detectable_format:json_format', kwargs: {} },
  { id: 'detectable_format:title', kwargs: {} },
  { id: 'combination:two_responses', kwargs: {} },
  ...[' Write a poem about rain.', 'Yes'].map((prompt_to_repeat) => ({
    id: 'combination:repeat_prompt',
    kwargs: { prompt_to_repeat },
  })),
  ...[' Is there anything else I can help with? ', 'three'].map((end_phrase) => ({
    id: 'startend:end_checker',
    kwargs: { end_phrase },
  })),
  { id: 'startend:quotation', kwargs: {} },
  ...compared('change_case:capital_word_frequency', [1, 2, 5, 13], (capital_frequency, capital_relation) => ({
    capital_frequency,
    capital_relation,
  })),
  { id: 'change_case:english_capital', kwargs: {} },
  { id: 'change_case:english_lowercase', kwargs: {} },
  { id: 'punctuation:no_comma', kwargs: {} },
]

/** The two relations take turns: each is the other's opposite. */
function compared(
  id: string,
  thresholds: readonly number[],
  kwargs: (threshold: number, relation: string) => Record<string, unknown>,
): Instruction[] {
  return thresholds.map((threshold, i) => ({ id, kwargs: kwargs(threshold, RELATIONS[i % 2]) }))
}
