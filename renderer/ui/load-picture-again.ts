/** Loads the picture of an image again, such as after a failure (`data-broken`, see cover.tsx). */
export function loadPictureAgain(img: HTMLImageElement): void {
  delete img.dataset['broken'];
  const { src } = img;
  img.src = src; // setting the address loads the picture again
}
