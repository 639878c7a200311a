/** Returns the probability that a right answer has a higher score than a wrong answer; ties count half. */
export function areaUnderCurve(scoredAnswers: readonly { score: number; isRight: boolean }[]): number {
  const rights = scoredAnswers.filter(({ isRight }) => isRight);
  const wrongs = scoredAnswers.filter(({ isRight }) => !isRight);
  let sum = 0;
  for (const rightAnswer of rights)
    for (const wrongAnswer of wrongs)
      sum += rightAnswer.score > wrongAnswer.score ? 1 : rightAnswer.score === wrongAnswer.score ? 0.5 : 0;
  return sum / (rights.length * wrongs.length);
}
