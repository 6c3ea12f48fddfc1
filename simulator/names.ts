import type { Random } from './random.ts';

type Names = readonly [string, ...string[]];
type Tongue = { first: Names; last: Names; lastFirst?: true };

const TONGUES: readonly [Tongue, ...Tongue[]] = [
  {
    first: ['Ana', 'João', 'Beatriz', 'Thiago', 'Conceição', 'Rafael', 'Inês', 'Caio', 'Luíza', 'Davi'],
    last: ['Souza', 'Gonçalves', 'Araújo', 'Lima', 'Magalhães', 'Ribeiro', 'Conceição', 'Brandão', 'Teixeira'],
  },
  {
    first: ['Sean', 'Aoife', 'Marcus', 'Niamh', 'Tyrell', 'Grace', 'Declan', 'Ruby', 'Jamal', 'Hazel'],
    last: ["O'Connor", 'Walker', 'Bennett', "O'Malley", 'Whitfield', "D'Angelo", 'Hayes', 'McAllister', 'Carter'],
  },
  {
    first: ['Łukasz', 'Zofia', 'Michał', 'Agnieszka', 'Wojciech', 'Małgorzata', 'Paweł', 'Kinga', 'Żaneta'],
    last: ['Wójcik', 'Dąbek', 'Szczęsny', 'Król', 'Mazur', 'Zając', 'Gołąb', 'Krawczyk', 'Świątek'],
  },
  {
    first: ['Jürgen', 'Käthe', 'Björn', 'Lena', 'Matthias', 'Greta', 'Sören', 'Anneliese', 'Moritz'],
    last: ['Müller', 'Groß', 'Schäfer', 'Krüger', 'Weiß', 'Vogel', 'Österreicher', 'Köhler', 'Brandt'],
  },
  {
    first: ['Дмитро', 'Олена', 'Алексей', 'Мария', 'Тарас', 'Наталья', 'Юрій', 'Світлана', 'Максим'],
    last: ['Шевченко', 'Коваленко', 'Бондаренко', 'Мельник', 'Черных', 'Ткаченко', 'Лысенко', 'Гончар'],
  },
  {
    first: ['健', '美咲', '翔太', 'さくら', '陽菜', '大輔', '結衣', '蓮', 'ひかり'],
    last: ['佐藤', '鈴木', '高橋', '田中', '渡辺', '小林', '中村', '山口'],
    lastFirst: true,
  },
  {
    first: ['José', 'Lucía', 'Ángel', 'Íñigo', 'Maite', 'Sebastián', 'Noelia', 'Andrés', 'Begoña'],
    last: ['Núñez', 'García', 'Ibáñez', 'Peña', 'Vázquez', 'Muñoz', 'Echeverría', 'Ríos', 'de la Cruz'],
  },
  {
    first: ['Chloé', 'François', 'Zoë', 'Jérôme', 'Maëlle', 'Théo', 'Anaïs', 'Gaëtan', 'Noémie'],
    last: ['Lefèvre', "d'Aubigné", 'Béranger', 'Moreau', 'Lacôte', 'Dupré', 'Noël', 'Saint-Just'],
  },
  {
    first: ['Emre', 'Çağla', 'Gökhan', 'Şule', 'İlker', 'Ayşe', 'Oğuz', 'Zeynep', 'Işıl'],
    last: ['Yıldız', 'Öztürk', 'Şahin', 'Çelik', 'Güneş', 'Kılıç', 'Aydın', 'Doğan'],
  },
  {
    first: ['Åse', 'Magnus', 'Freyja', 'Søren', 'Linnéa', 'Þór', 'Ingrid', 'Jørgen', 'Aino'],
    last: ['Åkesson', 'Bjørnstad', 'Lindqvist', 'Øvergård', 'Hämäläinen', 'Dahl', 'Næss', 'Sjöberg'],
  },
  {
    first: ['Tuấn', 'Linh', 'Phương', 'Đức', 'Hạnh', 'Khánh', 'Thảo', 'Vũ'],
    last: ['Nguyễn', 'Trần', 'Phạm', 'Đặng', 'Lê', 'Hoàng', 'Bùi'],
    lastFirst: true,
  },
];

const DECORATIONS: Names = ['🌙', '🔥', '🦊', '⚡', '🇧🇷'];

/** A name in the style of roleplay servers; `index` makes even a small world contain every kind of name. */
export const inventName = (random: Random, index: number): string => {
  const tongue = TONGUES[index] ?? random.pick(TONGUES);
  const [first, last] = [random.pick(tongue.first), random.pick(tongue.last)];
  const name = tongue.lastFirst ? `${last} ${first}` : `${first} ${last}`;
  return index % 24 === 7 ? `${name} ${random.pick(DECORATIONS)}` : name;
};
