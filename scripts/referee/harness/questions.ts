/** A few plain questions of our own, for harness and benchmarks alike. */
export const CHOICES: { question: string; options: string[]; right: number }[] = [
  { question: 'Which of these is an animal?', options: ['A horse', 'A spoon', 'A cloud', 'A hammer'], right: 0 },
  { question: 'What colour is fresh snow?', options: ['Black', 'White', 'Green', 'Purple'], right: 1 },
  { question: 'How many legs has a spider?', options: ['Two', 'Four', 'Eight', 'Twelve'], right: 2 },
  { question: 'Where do fish live?', options: ['In trees', 'In the sky', 'In ovens', 'In water'], right: 3 },
  { question: 'Which planet do people live on?', options: ['Mars', 'Earth', 'Jupiter', 'Venus'], right: 1 },
  { question: 'What is used to cut bread?', options: ['A knife', 'A pillow', 'A candle', 'A letter'], right: 0 },
  { question: 'Which season is the coldest?', options: ['Spring', 'Summer', 'Autumn', 'Winter'], right: 3 },
  { question: 'What do bees make?', options: ['Milk', 'Paper', 'Honey', 'Salt'], right: 2 },
  { question: 'Which of these is a number?', options: ['Seven', 'Table', 'Yellow', 'Quickly'], right: 0 },
  { question: 'What is the opposite of hot?', options: ['Warm', 'Cold', 'Loud', 'Tall'], right: 1 },
  { question: 'Which of these can fly?', options: ['A stone', 'A house', 'A sparrow', 'A carrot'], right: 2 },
  { question: 'What do you read?', options: ['Soup', 'Rain', 'A shoe', 'A book'], right: 3 },
]

export const NUMBERS: { question: string; answer: string }[] = [
  { question: 'Tom has 3 apples and gets 4 more. How many has he?', answer: '7' },
  { question: 'A box holds 6 eggs. How many eggs are in 2 boxes?', answer: '12' },
  { question: 'What is 10 minus 4?', answer: '6' },
  { question: 'Ann reads 5 pages a day. How many does she read in 3 days?', answer: '15' },
  { question: 'What is half of 20?', answer: '10' },
  { question: 'There were 9 birds and 2 flew away. How many are left?', answer: '7' },
  { question: 'A pen costs 2 dollars. What do 4 pens cost?', answer: '8' },
  { question: 'How many days have two weeks?', answer: '14' },
]
