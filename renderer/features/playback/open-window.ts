/** The player window beside this one; an open one comes to the front. */
export const openPlayerWindow = (): void => {
  window.open('/player', 'tonearm-player', 'popup,width=380,height=640')?.focus();
};
