// Common words and names by language, from which titles, artists and albums are drawn. They were written for the tests;
// the statistics in server/media/charset-letters.ts come from other texts.

/** The words of a language, and the strings between the words of a title. */
interface Language {
  words: string[];
  joins: string[];
}

const spaced = (words: string): Language => ({ words: words.split(' '), joins: [' '] });

/** Russian words, for Windows-1251. */
export const RUSSIAN = spaced(
  'Ночь День Утро Вечер Любовь Сердце Звезда Дорога Дождь Снег Ветер Море Небо Солнце Луна Весна Лето Осень Зима Город ' +
    'Улица Дом Окно Дверь Мама Отец Брат Сестра Друг Девушка Мальчик Песня Танец Музыка Слова Голос Тишина Мечта Сон ' +
    'Память Время Вчера Сегодня Завтра Всегда Никогда Прощай Здравствуй Возвращайся Не Я Ты Мы Они Без Под Над После ' +
    'для моя твой наша одна последний первый белый чёрный красный синий золотой серебряный старый новый далёкий ' +
    'Группа крови Кукушка Москва Петербург Одесса Волга Байкал Сибирь Царь Солдат Поезд Самолёт Корабль Цыганка Вальс ' +
    'Романс Колыбельная Баллада Катюша Подмосковные вечера Очи Миллион алых роз Позови меня с собой Шаланды полные ' +
    'кефали Пугачёва Высоцкий Окуджава Цой Земфира Шевчук Гребенщиков Лещенко Магомаев Кобзон Ротару Мумий Тролль ' +
    'Сплин Чиж Ария Кино Аквариум Наутилус Помпилиус Любэ Тату Эх ёлка щука цирк фонарь эхо юность объятия подъезд',
);

export const KOREAN = spaced(
  '사랑해 보고싶다 첫눈 겨울비 여름밤 봄날 가을편지 그리움 눈꽃 별빛 달팽이 나비 소나기 무지개 바다 하늘 구름 강물 산책 골목길 서울역 부산항 제주도 ' +
    '기차 버스 정류장 카페 커피 맥주 라면 김치 어머니 아버지 할머니 동생 친구야 학교 교실 졸업 청춘 스무살 서른 이별 재회 약속 거짓말 진심 고백 편지 ' +
    '전화 문자 사진 거울 창문 침대 꿈속에서 새벽 아침 저녁 오후 월요일 토요일 휴가 여행 공항 비행기 춤추는 노래하는 기다리는 떠나간 돌아온 잊혀진 ' +
    '영원한 외로운 아름다운 슬픈 행복한 뜨거운 차가운 하얀 검은 붉은 너에게 나에게 우리의 그녀가 당신은 아무도 누구나 언제나 어디서 다시 만나면 ' +
    '괜찮아 안녕히 미안해 고마워 조용필 이문세 김광석 아이유 방탄소년단 소녀시대 이선희 나훈아 윤도현 밴드 박효신 성시경 임창정 신승훈 강산에 ' +
    '흩어진 낙엽 촛불 등대 파도 갈매기 섬집 아리랑 도라지 진달래 무궁화 호랑이 토끼 거북이 왕자 공주 전설 운명 인연 천국 지옥 천사 악마',
);

/** Returns words of Chinese titles, which are joined without spaces. */
const chinese = (words: string): Language => ({ words: words.split(' '), joins: ['', '', '', '的', ' '] });

export const SIMPLIFIED = chinese(
  '月亮代表我的心 甜蜜蜜 小城故事 夜来香 茉莉花 上海滩 千里之外 青花瓷 七里香 双截棍 东风破 菊花台 发如雪 稻香 晴天 简单爱 安静 黑色幽默 龙卷风 星晴 ' +
    '后来 勇气 宁夏 分手快乐 暖暖 可惜不是你 红豆 匆匆那年 执着 天空 约定 容易受伤的女人 吻别 一路上有你 祝福 忘情水 冰雨 今天 男人哭吧不是罪 爱拼才会赢 ' +
    '朋友 真心英雄 凡人歌 水手 星星点灯 光辉岁月 海阔天空 真的爱你 喜欢你 情人 大地 一生所爱 倩女幽魂 沧海一声笑 男儿当自强 女儿情 敢问路在何方 难忘今宵 ' +
    '同桌的你 睡在我上铺的兄弟 恋恋风尘 青春 北京 上海 长江 黄河 草原 故乡 母亲 孩子 老师 春天 夏夜 秋风 冬雪 雨后 彩虹 阳光 花园 小鸟 蝴蝶 梦想 飞翔 ' +
    '邓丽君 王菲 周杰伦 林俊杰 陈奕迅 张学友 刘德华 孙燕姿 蔡依林 梁静茹 五月天 李宗盛 罗大佑 崔健 汪峰 许巍 朴树 那英 韩红 刀郎 精选 专辑 演唱会 现场',
);

export const TRADITIONAL = chinese(
  '月亮代表我的心 甜蜜蜜 小城故事 夜來香 茉莉花 上海灘 千里之外 青花瓷 七里香 雙截棍 東風破 菊花臺 髮如雪 稻香 晴天 簡單愛 安靜 黑色幽默 龍捲風 星晴 ' +
    '後來 勇氣 寧夏 分手快樂 暖暖 可惜不是你 紅豆 匆匆那年 執著 天空 約定 容易受傷的女人 吻別 一路上有你 祝福 忘情水 冰雨 今天 男人哭吧不是罪 愛拼才會贏 ' +
    '朋友 真心英雄 凡人歌 水手 星星點燈 光輝歲月 海闊天空 真的愛你 喜歡你 情人 大地 一生所愛 倩女幽魂 滄海一聲笑 男兒當自強 女兒情 敢問路在何方 難忘今宵 ' +
    '鹿港小鎮 童年 光陰的故事 戀曲 外婆的澎湖灣 橄欖樹 龍的傳人 酒矸倘賣無 臺北 高雄 淡水 故鄉 母親 孩子 老師 春天 夏夜 秋風 冬雪 雨後 彩虹 陽光 花園 ' +
    '小鳥 蝴蝶 夢想 飛翔 鄧麗君 王菲 周杰倫 林俊傑 陳奕迅 張學友 劉德華 孫燕姿 蔡依林 梁靜茹 五月天 李宗盛 羅大佑 張惠妹 伍佰 齊秦 蘇芮 蔡琴 費玉清 精選 ' +
    '專輯 演唱會 現場 國語 粵語 經典 懷念 黃昏 碼頭 浪子 雨夜花 望春風 思慕的人 舊情綿綿',
);

export const JAPANESE: Language = {
  words: (
    '上を向いて歩こう さくら 川の流れのように 世界に一つだけの花 涙そうそう 島唄 ハナミズキ 夜空ノムコウ チェリー ロビンソン 空も飛べるはず 粉雪 三日月 雪の華 ' +
    'ありがとう 手紙 贈る言葉 時代 糸 なごり雪 木綿のハンカチーフ いい日旅立ち 卒業写真 春よ来い ルージュの伝言 やさしさに包まれたなら 津軽海峡冬景色 天城越え ' +
    '北国の春 銀河鉄道 残酷な天使のテーゼ となりのトトロ 君をのせて もののけ姫 紅の豚 風の谷 おどるポンポコリン 夏祭り 花火 ひまわり 月光 東京 大阪 京都 横浜 ' +
    '北海道 沖縄 新宿 渋谷 少年時代 青春 恋 愛 夢 希望 未来 約束 奇跡 永遠 運命 瞳 笑顔 涙 雨 虹 海 星 太陽 ギター ピアノ ロック ラブソング メロディー ' +
    'スーパースター ドリーム パラダイス アイドル サマータイム クリスマス 美空ひばり 坂本九 宇多田ヒカル 椎名林檎 浜崎あゆみ 中島みゆき 松任谷由実 井上陽水 ' +
    '吉田拓郎 長渕剛 尾崎豊 スピッツ ミスター チルドレン サザンオールスターズ 嵐 いきものがかり ベスト アルバム 紅白歌合戦'
  ).split(' '),
  joins: ['', 'の', 'と', ' ', '～'],
};

/** Languages of Windows-1252, whose text is decoded correctly without detection. */
export const WESTERN_LANGUAGES: Record<string, Language> = {
  English: spaced(
    'The A Night Day Love Don’t Can’t You’re I’m Blue Rain Road River Heart Queen King Café Señorita Beyoncé Mötley Crüe ' +
      'Motörhead Björk Sigur Naïve Déjà vu Fiancé Rock ’n’ Roll Summer Winter “Heroes” Live – Remastered Part One Two Best',
  ),
  French: spaced(
    'La Le Les À Été Ça Où Même Être Noël Père Mère Frère Sœur Cœur Âme Île Forêt Fenêtre Hôtel Château Théâtre Étoile École ' +
      'Rêve Fête Liberté Beauté Chérie Adieu Amour Première fois déjà très après près élève garçon Françoise Hélène Zoé ' +
      'Jérôme Goût Août Maïs Naïf Œuvre L’été d’août J’étais C’était Ne me quitte pas Non je ne regrette rien Ô toi çà',
  ),
  German: spaced(
    'Der Die Das Über Für Grüße Straße Schön Schöne Mädchen Männer Frühling Herbst Träume Traum Königin König Vögel Wälder ' +
      'Tür Brücke Glück Süden Österreich München Köln Düsseldorf Nürnberg Müller Jäger Bär Löwe Äpfel Öl Übermut Größe Fuß ' +
      'Weiß Heiß Später Wünsche Lügen Küsse Für’s Ärzte Söhne Mannheims Grönemeyer Nächte Spät Hörst du mich Ich will',
  ),
  Spanish: spaced(
    'El La Los Canción Corazón Niño Niña Mañana Año Años España Señor Más Qué Cómo Dónde Cuándo Tú Él Sí Adiós Amor También ' +
      'Después Día Días Río María José Ángel Árbol Única Último Música Mágico Lágrimas Pasión Ilusión Sueño Pequeño Otoño ' +
      'Baño Montaña ¿Qué ¡Ay Así Quizás Camarón Juanés Bebé Cielo Estás Aquí Allí Jamás Volverán Güero Pingüino',
  ),
  Portuguese: spaced(
    'O A É À Não São João Coração Canção Paixão Solidão Verão Chão Mãe Mães Irmão Você Avó Avô Três Mês Português Música ' +
      'Água Céu Pé Fé Café Só Nós Vós Lá Já Há Até Também Além Amanhã Maçã Lã Rã Saudade Emoção Atenção Ilusões Corações ' +
      'Antônio Gonçalves Caetano Chuva Sertão Açúcar Cabeça Criança Esperança Ângela Último Água-viva Órfão Às vezes',
  ),
  Italian: spaced(
    'Il La Perché Più Così Città Felicità Libertà Verità Età Metà Già Giù Può Sarà Però Lunedì Martedì Caffè È Né Sé Là Là ' +
      'Amore Cuore Vita Notte Sole Mare Cielo Azzurro Volare Nel blu dipinto di blu Senza Sempre Ancora Mina Lucio Battisti ' +
      'Fabrizio De André Zucchero Gioventù Tribù Virtù Papà Sanità Caparezza Povertà Ventù Ciò Ahimè Finché Purché',
  ),
  Dutch: spaced(
    'De Het Een Één Zoë Daniël Michaël België Financiën Ideeën Zeeën Knieën Geïnspireerd Reünie Coördinatie Café Hé Vóór Ná ' +
      'Liefde Hart Nacht Dag Zee Strand Huis Straat Meisje Jongen Vader Moeder Droom Zomer Winter Regen Zon Amsterdam Brussel ' +
      'Mooi Blijf bij mij Ik hou van jou Doe maar Boudewijn Ramses Chaperonnés Drieëndertig Tweeëntwintig Hélène',
  ),
  Swedish: spaced(
    'Sång Säg Så När Där Här Kärlek Hjärta Måne Stjärna Sjö Ö Å Åska Älskar Ängel Öga Öppna Över Både Två Får Går Står Flicka ' +
      'Pojke Vår Sommar Höst Vinter Nätter Dröm Drömmar Fågel Träd Blå Grön Röd Göteborg Malmö Västerås Håkan Hellström ' +
      'Cornelis Björn Åsa Östen Även Väntar Längtan Låt mig få vara ifred Tåget kör För dig och mig Jävlar Ååå',
  ),
  Danish: spaced(
    'Sommer Kærlighed Hjerte Måne Stjerne Sø Ø Å År Ånd Øje Øjne Æble Ære Æ Så Når Får Går Står Små Blå Grøn Rød Sød Brød Død ' +
      'Fødselsdag København Århus Ålborg Sønderjylland Søren Jørgen Mærsk Kim Larsen Gå På Må Nå Færge Lære Være Træ Læ ' +
      'Håb Drøm Drømme Løgn Først Før Over Under Regn Vejr Pæn Æske Øst Hør nu her Lad det så ske Jeg er så glad',
  ),
  Norwegian: spaced(
    'Sommer Kjærlighet Hjerte Måne Stjerne Sjø Øy Å Ån År Åpen Øye Øyne Eple Ære Så Når Får Går Står Små Blå Grønn Rød Søt Brød ' +
      'Død Bursdag Tromsø Ålesund Bodø Bærum Pål Bjørn Håkon Østlandet Jørn Gå På Må Nå Ferge Lære Være Trær Håp Drøm ' +
      'Drømmer Løgn Først Før Fjell Fjord Snø Vær Pent Ønske Nord og sør Æ e trønder æ Ååå Ut mot havet Kjør på',
  ),
  Finnish: spaced(
    'Yö Päivä Kesä Syksy Talvi Kevät Äiti Isä Tyttö Poika Sydän Tähti Kuu Meri Järvi Metsä Tie Tyhjä Ääni Hiljää Hääyö Älä Ei ' +
      'Mitään Mennään Yhdessä Täällä Siellä Missä Elämä Elämän Kyynel Jäätävä Lähtö Öljyä Äänekoski Jyväskylä Hämeenlinna ' +
      'Leevi Eppu Yrjö Pää Sää Hyvää yötä Pyhä Käsi Jää Älä jätä minua Minä Sinä Hän Työ Löytää Näkymätön Ääretön Öö',
  ),
  Icelandic: spaced(
    'Ást Ég Þú Það Þá Þegar Þetta Í Á Úr Ó Æ Öll Ísland Reykjavík Akureyri Sól Nótt Dagur Vetur Sumar Haust Vor Hjarta Stjarna ' +
      'Máni Sjór Fjörður Jökull Fjall Á Þögn Söngur Ljóð Ævintýri Góða nótt Sæglópur Ágætis byrjun Svefn-g-englar Ára bátur ' +
      'Hoppípolla Með blóðnasir Við spilum endalaust Björk Guðmundsdóttir Þór Ólafur Jóhann Sigríður Ásgeir Móðir Faðir Ó já',
  ),
  Catalan: spaced(
    'El La Cançó Cor Nit Dia Amor Estimació Llibertat Països Catalans Això Allò Què Perquè Així També Després Més Només Bé Sí ' +
      'Adéu Àngel Àvia Església València Lluís Llach Raimon Núria Mònica Sílvia Il·lusió Col·lecció Força Plaça Dolça Abraç ' +
      'Cançons Música Única Òpera Època Ésser Ànima Té Són Món Camí Jardí Demà Però L’estaca Tu i jo Veïna Països Raïm',
  ),
  Estonian: spaced(
    'Öö Päev Suvi Sügis Talv Kevad Ema Isa Tüdruk Poiss Süda Täht Kuu Meri Järv Mets Tee Tühi Hääl Õhtu Õde Õnn Õun Õpetaja Üks ' +
      'Üle Üksi Ära Äike Öötöö Jää Jäääär Töö Küla Mägi Võõras Nõid Kõik Mõni Põhja Lõuna Ida Lääs Eesti Tartu Pärnu Võru ' +
      'Ansambel Jõgi Õnne Ühes väikses Eesti linnas Mis värvi on armastus Rahu Tõnis Mägi Jaak Joala Hõbe Ööbik',
  ),
  Irish: spaced(
    'An Na Oíche Lá Grá Mo Chroí Éire Mhuire Óró Sé do bheatha Bean Fear Cailín Buachaill Múirnín Rún Siúil A Ghrá Tír na nÓg ' +
      'Seán Máire Pádraig Bríd Síle Áine Éamonn Úna Dónal Cúrsa Féile Ceol Amhrán Slán Fáilte Dúlamán Níl sé Ní hé Tá mé Ó Í ' +
      'Séamus Ógánach Úll Álainn Mná Fáinne geal an lae Bádaí Dún Laoghaire Gaoth Dobhair',
  ),
  Basque: spaced(
    'Maitasuna Bihotza Gaua Eguna Itsasoa Mendia Euskal Herria Lagun Ama Aita Neska Mutila Txoria txori Hegoak ebaki banizkio Ikusi ' +
      'mendizaleak Ikurriña Bilbao Donostia Baiona Iruñea Gasteiz Mikel Laboa Benito Lertxundi Ruper Ordorika Señeñe Añorga ' +
      'Güeñes Zü Süberoa Düzü Bortüa Hüllan Gaüa Eguzkia Izarra Haizea Negua Uda Zoriontsu Zuretzat',
  ),
  Galician: spaced(
    'A O Canción Corazón Noite Día Amor Soño Mañá Avoa Nai Pai Irmán Galicia Vigo Coruña Ourense Lugo Negra sombra Rosalía ' +
      'Unha Miña Túa Súa Ningúns Só Máis Ata Despois Tamén Ollos Lúa Mar Ría Río Muíño Camiño Viño Carballeira Luar na Lubre ' +
      'Xoán Ánxela Bágoa Saudade Alén Aquí Alí Montañas Ñandú Pequeño Están Ïa Época Óleo Índa Últimas',
  ),
  Albanian: spaced(
    'Dashuria Zemra Nata Dita Nëna Babai Vajza Djali Këngë Kënga Është Për Më Të Një Në Që Çdo Çfarë Çelësi Shqipëria Tiranë Shkodër ' +
      'Prishtinë Korçë Vlorë Durrës Yll Hëna Dielli Deti Mali Lule Zëri Ëndërr Ëndrra Jetë Jeta Përse Sërish Gjithmonë Kurrë Asnjë ' +
      'Besë Çajupi Çamëria Këtu Atje Fëmijë Mirëmbrëma Natën e mirë Unë Ti',
  ),
  Afrikaans: spaced(
    'Die Ek Jy Liefde Hart Nag Dag See Môre Sê Lê Hê Wêreld Brûe Reën Seën Geloof Eën Voël Hoë Kôr Öfkon Koöperasie Suid-Afrika Karoo ' +
      'Kaapstad Koos du Plessis Johannes Kerkorrel Hoor jy my Blou Rooi Somer Winter Lente Pêrel Skêr Nêrens Oë Moë Vreugde Dié Één ' +
      'Hôtel Kraaines Sonskyn Môreland Hier is ek weer Daar bo',
  ),
  Luxembourgish: spaced(
    'De D’Léift Häerz Nuecht Dag Mier Mamm Papp Meedchen Jong Dreem Lëtzebuerg Esch Déi Här Mäin Däin Säin Eis Är Hémecht Wéi Wou Ëmmer ' +
      'Nëmmen Schéin Kleng Grouss Bléi Gréng Rout Wäiss Summer Wanter Hierscht Fréijoer Stär Mound Sonn Reen Béierdeckel ' +
      'Äddi Moien Merci Äerd Ënner Iwwer Zäit Liewen Doud Fréi Spéit Haut Gëschter Muer Äis Öl',
  ),
};

/** Draws a title, artist or album of 1 to `maxWords` words. */
export function drawName({ words, joins }: Language, randomBelow: (n: number) => number, maxWords = 4): string {
  const count = 1 + randomBelow(maxWords);
  let name = words[randomBelow(words.length)] as string;
  for (let n = 1; n < count; n++) name += `${joins[randomBelow(joins.length)]}${words[randomBelow(words.length)]}`;
  return name;
}
