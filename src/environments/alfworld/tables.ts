/**
 * What stands where in a household: the generator's tables.
 *
 * Derived from counts over 200 training games of ALFWorld (MIT licence); no evaluation game was counted. Written as lines of
 * text because that is how they are read best: one line a type.
 */

/** Rooms that a household can be. */
export const ROOMS = ['kitchen', 'bedroom', 'livingroom', 'bathroom'] as const
export type Room = (typeof ROOMS)[number]

type Counts = Record<string, { min: number; mean: number; max: number }>

/** `Name min-mean-max, …` */
function counts(text: string): Counts {
  return Object.fromEntries(
    text
      .trim()
      .split(/,\s*/)
      .map((entry) => {
        const [name, numbers] = entry.split(/\s+/)
        const [min, mean, max] = numbers.split('-').map(Number)
        return [name, { min, mean, max }]
      }),
  )
}

/** One line a name: `Name: Other weight, …`; a missing weight is 1. */
function weights(text: string): Record<string, Record<string, number>> {
  return Object.fromEntries(
    text
      .trim()
      .split('\n')
      .map((line) => {
        const [name, list] = line.split(': ')
        const entries = list.split(', ').map((entry) => entry.split(' '))
        return [name, Object.fromEntries(entries.map(([other, weight]) => [other, Number(weight ?? 1)]))]
      }),
  )
}

function words(text: string): Set<string> {
  return new Set(text.trim().split(/\s+/))
}

/** Receptacles a room has: least, mean and most. */
export const ROOM_RECEPTACLES: Record<Room, Counts> = {
  kitchen: counts(`
    Cabinet 2-14.27-27, CoffeeMachine 1-1-1, CounterTop 1-2.28-4, DiningTable 0-0.82-3, Drawer 0-5.82-27, Fridge
    1-1-1, GarbageCan 1-1-1, Microwave 1-1-1, Safe 0-0.02-1, Shelf 0-0.7-3, SideTable 0-0.08-1, SinkBasin 1-1-1,
    StoveBurner 4-4.07-6, Toaster 1-1-1
  `),
  bedroom: counts(`
    ArmChair 0-0.52-3, Bed 1-1.2-2, Cabinet 0-0.41-4, Desk 0-0.82-2, DiningTable 0-0.11-1, Drawer 2-6.57-16,
    Dresser 0-0.61-2, GarbageCan 1-1-1, LaundryHamper 0-0.27-1, Safe 0-0.27-1, Shelf 0-2.18-12, SideTable
    0-0.95-2
  `),
  livingroom: counts(`
    ArmChair 1-1.29-2, Cabinet 0-0.32-8, CoffeeTable 0-1-2, DiningTable 0-0.54-2, Drawer 0-3.54-21, Dresser
    0-0.32-2, GarbageCan 1-1-1, Ottoman 0-0.18-1, Shelf 0-3.54-14, SideTable 0-1.64-5, Sofa 1-1.21-2, TVStand
    0-0.5-2
  `),
  bathroom: counts(`
    BathtubBasin 0-0.45-1, Cabinet 0-2.05-5, Cart 0-0.11-1, CounterTop 0-0.89-2, Drawer 0-1.87-8, Dresser
    0-0.03-1, GarbageCan 1-1-1, HandTowelHolder 1-1.47-4, Shelf 0-0.39-4, SideTable 0-0.08-1, SinkBasin
    1-1.61-2, Toilet 1-1-1, ToiletPaperHanger 1-1-1, TowelHolder 1-1.34-2
  `),
}

/** Objects a room has. Fixtures that no text ever shows (windows, light switches, stove knobs) are left out. */
export const ROOM_OBJECTS: Record<Room, Counts> = {
  kitchen: counts(`
    Apple 1-1.97-3, Book 0-0.17-3, Bowl 1-1.93-4, Bread 1-1.52-3, ButterKnife 0-1.83-3, CellPhone 0-0.21-2,
    CreditCard 0-0.14-3, Cup 1-1.82-4, DishSponge 1-1.97-4, Egg 1-1.82-4, Fork 1-2.02-3, Glassbottle 0-0.57-3,
    HousePlant 0-0.34-2, Kettle 0-0.93-3, Knife 1-1.93-3, Ladle 0-0.76-4, Lettuce 1-1.76-4, Mug 1-1.91-4, Pan
    1-1.21-3, PaperTowelRoll 0-0.36-1, Pen 0-0.14-3, Pencil 0-0.27-3, PepperShaker 1-1.97-4, Plate 1-1.91-3, Pot
    1-1.52-3, Potato 1-2.03-3, SaltShaker 1-1.92-3, SoapBottle 1-2-3, Spatula 1-1.96-3, Spoon 1-1.99-3,
    SprayBottle 0-0.17-3, Statue 0-0.37-3, Tomato 1-1.89-4, Vase 0-0.47-3, WineBottle 0-1.03-3
  `),
  bedroom: counts(`
    AlarmClock 1-1.89-4, Book 1-1.89-4, Bowl 0-0.7-3, Box 0-0.48-1, CD 1-2.23-4, CellPhone 1-2.07-4, Cloth
    0-0.18-2, CreditCard 1-1.95-4, DeskLamp 0-0.86-2, HousePlant 0-0.36-1, KeyChain 1-1.89-4, Laptop 1-1.73-3,
    Mug 0-0.98-4, Pen 1-1.68-3, Pencil 1-1.84-4, Pillow 1-1.64-4, RemoteControl 0-0.36-3, Statue 0-0.18-2,
    TeddyBear 0-0.34-1, Television 0-0.16-1, TissueBox 0-0.23-3, Vase 0-0.09-2
  `),
  livingroom: counts(`
    Book 0-0.39-3, Bowl 0-0.11-2, Box 1-1.68-3, Candle 0-0.54-3, CellPhone 0-0.25-4, CreditCard 1-2.04-4,
    DeskLamp 0-0.21-1, HousePlant 1-1.14-2, KeyChain 1-2.04-4, Laptop 1-1.5-3, Newspaper 0-1.11-3, Pen 0-0.14-2,
    Pencil 0-0.21-3, Pillow 1-1.25-3, Plate 0-0.5-3, RemoteControl 1-2.54-4, Statue 1-2.25-7, Television 1-1-1,
    TissueBox 0-0.93-4, Vase 0-1.5-6, Watch 0-0.82-3, WateringCan 0-0.29-2
  `),
  bathroom: counts(`
    Candle 1-1.95-3, Cloth 1-1.76-4, DishSponge 0-0.24-2, HandTowel 1-1.16-2, HousePlant 0-0.08-1,
    PaperTowelRoll 0-0.11-1, SoapBar 1-2.08-3, SoapBottle 1-2-3, SprayBottle 1-1.95-4, TissueBox 0-0.37-3,
    ToiletPaper 2-2.26-3, Towel 1-1.16-2
  `),
}

/** Share of a receptacle's kind that has a door; all others never have one. */
export const OPENABLE: Record<string, number> = {
  Drawer: 0.845,
  Safe: 0.643,
  Cabinet: 0.808,
  Microwave: 1,
  Fridge: 1,
}

/** Receptacle → objects it can hold. */
export const CAN_CONTAIN = weights(`
ArmChair: Book, Box, CellPhone, Cloth, CreditCard, KeyChain, Laptop, Newspaper, Pillow, RemoteControl
BathtubBasin: Cloth, DishSponge, HandTowel, SoapBar
Bed: BaseballBat, BasketBall, Book, CellPhone, Laptop, Pillow, TennisRacket
Cabinet: Book, Bowl, Box, CD, Candle, Cloth, Cup, DishSponge, Glassbottle, HandTowel, Kettle, Ladle, Mug, Newspaper, Pan, PepperShaker, Plate, Plunger, Pot, SaltShaker, SoapBar, SoapBottle, SprayBottle, TissueBox, ToiletPaper, Vase, WateringCan, WineBottle
Cart: Candle, Cloth, DishSponge, HandTowel, Plunger, SoapBar, SoapBottle, SprayBottle, TissueBox, ToiletPaper
CoffeeMachine: Mug
CoffeeTable: Book, Bowl, Box, Candle, CellPhone, CreditCard, KeyChain, Laptop, Newspaper, Pen, Pencil, Plate, RemoteControl, Statue, TissueBox, Vase, Watch, WateringCan
CounterTop: Apple, Book, Bowl, Bread, ButterKnife, Candle, CellPhone, Cloth, CreditCard, Cup, DishSponge, Egg, Fork, Glassbottle, HandTowel, Kettle, Knife, Ladle, Lettuce, Mug, Pan, Pen, Pencil, PepperShaker, Plate, Pot, Potato, SaltShaker, SoapBar, SoapBottle, Spatula, Spoon, SprayBottle, Statue, TissueBox, ToiletPaper, Tomato, Vase, WineBottle
Desk: AlarmClock, BasketBall, Book, Bowl, Box, CD, CellPhone, Cloth, CreditCard, KeyChain, Laptop, Mug, Pen, Pencil, RemoteControl, Statue, TennisRacket, TissueBox, Vase
DiningTable: AlarmClock, Apple, BaseballBat, Book, Bowl, Box, Bread, ButterKnife, CD, Candle, CellPhone, CreditCard, Cup, DishSponge, Egg, Fork, Glassbottle, Kettle, KeyChain, Knife, Ladle, Laptop, Lettuce, Mug, Newspaper, Pan, Pen, Pencil, PepperShaker, Plate, Pot, Potato, RemoteControl, SaltShaker, SoapBottle, Spatula, Spoon, SprayBottle, Statue, TissueBox, Tomato, Vase, Watch, WineBottle
Drawer: Book, ButterKnife, CD, Candle, CellPhone, Cloth, CreditCard, DishSponge, Fork, HandTowel, KeyChain, Knife, Ladle, Newspaper, Pen, Pencil, PepperShaker, RemoteControl, SaltShaker, SoapBar, SoapBottle, Spatula, Spoon, SprayBottle, TissueBox, ToiletPaper, Watch, WateringCan
Dresser: AlarmClock, BasketBall, Book, Bowl, Box, CD, Candle, CellPhone, Cloth, CreditCard, KeyChain, Laptop, Mug, Newspaper, Pen, Pencil, RemoteControl, SprayBottle, Statue, TennisRacket, TissueBox, ToiletPaper, Vase, Watch, WateringCan
Fridge: Apple, Bowl, Bread, Cup, Egg, Glassbottle, Lettuce, Mug, Pan, Plate, Pot, Potato, Tomato, WineBottle
GarbageCan: Apple, Bread, CD, Cloth, DishSponge, Egg, HandTowel, Lettuce, Newspaper, Pen, Pencil, Potato, SoapBar, SoapBottle, SprayBottle, TissueBox, ToiletPaper, Tomato, WineBottle
HandTowelHolder: HandTowel
LaundryHamper: Cloth
Microwave: Apple, Bowl, Bread, Cup, Egg, Glassbottle, Mug, Plate, Potato, Tomato
Ottoman: Box, CreditCard, KeyChain, Laptop, Newspaper, Pillow, RemoteControl
Safe: CD, CellPhone, CreditCard, KeyChain
Shelf: AlarmClock, Book, Bowl, Box, CD, Candle, CellPhone, Cloth, CreditCard, Cup, DishSponge, Glassbottle, HandTowel, Kettle, KeyChain, Mug, Newspaper, Pen, Pencil, PepperShaker, Plate, Pot, RemoteControl, SaltShaker, SoapBar, SoapBottle, SprayBottle, Statue, TissueBox, ToiletPaper, Vase, Watch, WateringCan, WineBottle
SideTable: AlarmClock, Apple, BaseballBat, BasketBall, Book, Bowl, Box, Bread, ButterKnife, CD, Candle, CellPhone, Cloth, CreditCard, Cup, DishSponge, Egg, Fork, HandTowel, Kettle, KeyChain, Knife, Laptop, Lettuce, Mug, Newspaper, Pan, Pen, Pencil, PepperShaker, Plate, Pot, Potato, RemoteControl, SaltShaker, SoapBar, SoapBottle, Spatula, Spoon, SprayBottle, Statue, TennisRacket, TissueBox, ToiletPaper, Tomato, Vase, Watch, WateringCan, WineBottle
SinkBasin: Apple, Bowl, ButterKnife, Cloth, Cup, DishSponge, Egg, Fork, Glassbottle, HandTowel, Kettle, Knife, Ladle, Lettuce, Mug, Pan, Plate, Pot, Potato, SoapBar, Spatula, Spoon, Tomato
Sofa: Book, Box, CellPhone, CreditCard, KeyChain, Laptop, Newspaper, Pillow, RemoteControl
StoveBurner: Kettle, Pan, Pot
TVStand: TissueBox
Toilet: Candle, Cloth, DishSponge, HandTowel, SoapBar, SoapBottle, SprayBottle, TissueBox, ToiletPaper
ToiletPaperHanger: ToiletPaper
TowelHolder: Towel
`)

/** Object → how often it stood in which receptacle. */
export const STANDS_IN = weights(`
AlarmClock: Desk 25, SideTable 20, Shelf 16, Dresser 15, DiningTable 6
Apple: Fridge 45, CounterTop 43, GarbageCan 25, Microwave 25, DiningTable 24, SinkBasin 13, SideTable 2
Book: Bed 43, Desk 14, Cabinet 10, Drawer 9, Dresser 8, CounterTop 8, DiningTable 6, SideTable 4, Sofa 4, Shelf 1, CoffeeTable 1
Bowl: Cabinet 63, Fridge 36, CounterTop 32, DiningTable 24, Desk 20, Shelf 9, SinkBasin 7, Microwave 6, SideTable 4, Dresser 3
Box: DiningTable 13, CoffeeTable 9, Sofa 9, Dresser 5, SideTable 3, Shelf 2, ArmChair 1
Bread: CounterTop 67, DiningTable 39, Fridge 27, Microwave 1, SideTable 1
ButterKnife: CounterTop 88, DiningTable 53, Drawer 14, SinkBasin 7, SideTable 1
CD: Drawer 23, Desk 14, SideTable 13, Dresser 11, Shelf 8, GarbageCan 6, DiningTable 3, Cabinet 2, Safe 1
Candle: Toilet 24, CounterTop 17, Cabinet 11, Shelf 8, SideTable 7, DiningTable 4, Drawer 4, CoffeeTable 3, Dresser 3, Cart 2
CellPhone: Bed 29, Drawer 25, Desk 16, Dresser 12, Shelf 7, SideTable 7, ArmChair 7, CounterTop 7, DiningTable 3, Safe 2, CoffeeTable 1, Sofa 1
Cloth: Cabinet 19, BathtubBasin 13, CounterTop 9, SinkBasin 9, Drawer 9, Shelf 3, Toilet 2, Cart 1
CreditCard: Drawer 35, SideTable 23, Shelf 18, CoffeeTable 16, Dresser 14, Desk 11, ArmChair 10, Sofa 8, CounterTop 7, DiningTable 5, Ottoman 3
Cup: Cabinet 37, Fridge 37, CounterTop 33, DiningTable 19, Microwave 14, SinkBasin 13, Shelf 8
DeskLamp: SideTable 19, Desk 14, Dresser 9, Shelf 1, CoffeeTable 1
DishSponge: CounterTop 51, Cabinet 50, DiningTable 30, Drawer 23, SinkBasin 9, GarbageCan 7, Shelf 6, Toilet 3, BathtubBasin 3, Cart 1
Egg: Fridge 42, CounterTop 31, SinkBasin 26, GarbageCan 26, Microwave 23, DiningTable 13
Fork: CounterTop 84, DiningTable 44, Drawer 32, SinkBasin 15, SideTable 2
Glassbottle: CounterTop 15, Cabinet 13, DiningTable 11, SinkBasin 5, Fridge 4, Shelf 2
HandTowel: HandTowelHolder 44, CounterTop 6
HousePlant: CounterTop 24, SideTable 11, Desk 8, CoffeeTable 8, Shelf 7, DiningTable 7, Cabinet 5, TVStand 2, Dresser 1
Kettle: CounterTop 30, StoveBurner 28, Cabinet 20, DiningTable 4, SinkBasin 2
KeyChain: Drawer 27, SideTable 16, Dresser 15, ArmChair 15, Desk 14, DiningTable 12, Shelf 11, Safe 7, Sofa 6, CoffeeTable 5
Knife: CounterTop 96, DiningTable 43, Drawer 22, SinkBasin 4
Ladle: CounterTop 30, Drawer 15, Cabinet 10, DiningTable 9, SinkBasin 1
Laptop: Bed 57, DiningTable 15, Desk 12, Sofa 10, SideTable 6, ArmChair 5, Dresser 4, CoffeeTable 4
Lettuce: CounterTop 59, DiningTable 52, Fridge 37, SinkBasin 5, SideTable 1
Mug: CounterTop 52, Cabinet 31, Fridge 28, CoffeeMachine 28, DiningTable 24, SinkBasin 16, Microwave 12, Desk 11, SideTable 11, Shelf 8, Dresser 6
Newspaper: Sofa 9, CoffeeTable 6, DiningTable 5, Shelf 4, ArmChair 3, Drawer 2, SideTable 1, Ottoman 1
Pan: StoveBurner 81, CounterTop 46, Cabinet 10, DiningTable 7, Fridge 4
Pen: Desk 24, Dresser 17, SideTable 13, Drawer 12, DiningTable 10, Shelf 7, CounterTop 5, GarbageCan 2, CoffeeTable 1
Pencil: Drawer 27, SideTable 20, Desk 18, Shelf 12, Dresser 9, DiningTable 9, CounterTop 8, GarbageCan 5, CoffeeTable 2
PepperShaker: Cabinet 64, CounterTop 47, Drawer 28, DiningTable 24, Shelf 9, SideTable 5
Pillow: Bed 71, Sofa 30, ArmChair 5, Ottoman 1
Plate: Cabinet 64, CounterTop 45, DiningTable 35, Fridge 14, Shelf 6, Microwave 6, SinkBasin 2, CoffeeTable 2, SideTable 1
Pot: StoveBurner 124, CounterTop 17, Fridge 9, DiningTable 8, Cabinet 2
Potato: CounterTop 54, Fridge 40, DiningTable 28, Microwave 21, SinkBasin 19, GarbageCan 11, SideTable 5
RemoteControl: Sofa 15, CoffeeTable 14, ArmChair 10, Drawer 9, SideTable 6, Dresser 5, Desk 4, Shelf 4, DiningTable 3, Ottoman 1
SaltShaker: Cabinet 55, CounterTop 39, DiningTable 39, Drawer 27, Shelf 9, SideTable 4
SoapBar: CounterTop 21, SinkBasin 13, Toilet 12, Cabinet 6, Drawer 5, Shelf 4, GarbageCan 4, BathtubBasin 2, Cart 2, SideTable 1
SoapBottle: CounterTop 79, Cabinet 66, DiningTable 35, GarbageCan 27, Toilet 23, Shelf 12, SideTable 7, Cart 1, Drawer 1
Spatula: CounterTop 79, DiningTable 50, Drawer 38, SinkBasin 8, SideTable 1
Spoon: CounterTop 59, Drawer 48, DiningTable 40, SinkBasin 26, SideTable 3
SprayBottle: CounterTop 29, Toilet 18, Cabinet 15, GarbageCan 9, DiningTable 6, Cart 4, SideTable 4, Shelf 2, Dresser 2
Statue: Shelf 28, CounterTop 20, CoffeeTable 17, DiningTable 15, SideTable 12, Dresser 5
Television: TVStand 10, Dresser 6, CoffeeTable 4
TissueBox: SideTable 11, DiningTable 9, CoffeeTable 7, Shelf 6, CounterTop 5, Desk 3, Dresser 3, Drawer 2, Cart 2, TVStand 1, Toilet 1
ToiletPaper: Toilet 18, Cabinet 13, CounterTop 10, ToiletPaperHanger 8, Shelf 7, GarbageCan 5, Drawer 4, SideTable 2, Cart 1
Tomato: CounterTop 55, Fridge 53, DiningTable 33, GarbageCan 15, SinkBasin 11, SideTable 2
Towel: TowelHolder 44
Vase: Shelf 34, CounterTop 17, Cabinet 12, DiningTable 6, SideTable 4, Dresser 4, CoffeeTable 2
Watch: CoffeeTable 5, Dresser 4, DiningTable 4, SideTable 3, Shelf 2, Drawer 1
WateringCan: CoffeeTable 3
WineBottle: DiningTable 27, Cabinet 25, CounterTop 24, GarbageCan 11, Shelf 5, Fridge 1
`)

/** Properties are fixed by the type. `pickupable` is all but the fixtures. */
export const PROPERTIES_BY_TYPE = {
  fixed: words('DeskLamp HousePlant Television'),
  isReceptacleObject: words('Bowl Box Mug Cup Plate Pot Pan'),
  cleanable: words(
    'Bowl Cloth Mug SoapBar DishSponge ButterKnife Cup Egg Apple Plate Tomato Spoon Pot Potato Spatula Pan Knife Lettuce Fork Kettle Ladle',
  ),
  coolable: words('Bowl Mug Cup Egg Apple Plate Tomato Pot Potato Pan Lettuce Bread WineBottle'),
  toggleable: words('DeskLamp FloorLamp'),
  heatable: words('Mug Cup Egg Apple Plate Tomato Potato Bread'),
  sliceable: words('Egg Apple Tomato Potato Lettuce Bread'),
}

/** Share of objects that are cold from the start. */
export const COLD: Record<string, number> = {
  Glassbottle: 0.039,
  Tomato: 0.065,
  Bowl: 0.005,
  Egg: 0.018,
  Lettuce: 0.006,
  Pan: 0.009,
  Potato: 0.038,
  Apple: 0.011,
  Cup: 0.012,
  Mug: 0.014,
  Plate: 0.005,
}
