/** The probability that a right answer has a higher score than a wrong one; ties count half. */
export function areaUnderCurve(answers: readonly { score: number; isRight: boolean }[]): number {
  const rights = answers.filter(({ isRight }) => isRight);
  const wrongs = answers.filter(({ isRight }) => !isRight);
  let sum = 0;
  for (const right of rights)
    for (const wrong of wrongs) sum += right.score > wrong.score ? 1 : right.score === wrong.score ? 0.5 : 0;
  return sum / (rights.length * wrongs.length);
}
