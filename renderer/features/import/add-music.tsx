// Handles requests to add music: opens the dialog in which files are chosen, or queues what was dropped.
import { useEffect, useRef, useState } from 'react';
import { takeAddRequests, useAddRequests } from '../../music/add-music.ts';
import { ChooseDialog } from './choose-dialog.tsx';
import { readDropped } from './dropped-files.ts';
import { UploadPanel } from './upload-panel.tsx';
import { enqueueUploads, hasOpenUploads, useUploads, type ChosenFiles } from './upload-queue.ts';

export function AddMusic() {
  const requests = useAddRequests();
  const { uploads } = useUploads();
  const [isChoosing, setChoosing] = useState(false);
  const [isCollapsed, setCollapsed] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);

  useEffect(() => {
    for (const dropped of takeAddRequests())
      if (dropped.length > 0) void readDropped(dropped).then(enqueueUploads);
      else if (hasOpenUploads()) {
        setCollapsed(false);
        heading.current?.focus();
      } else setChoosing(true);
  }, [requests]);

  const choose = (files: ChosenFiles) => {
    setChoosing(false);
    setCollapsed(false);
    enqueueUploads(files);
  };
  /** The menu from which the dialog was opened may be gone, and focus would be lost with it. */
  const onClosed = () => {
    const { activeElement } = document;
    if (activeElement && activeElement !== document.body && !activeElement.closest('[role="dialog"]')) return;
    (heading.current ?? document.getElementById('main'))?.focus();
  };
  return (
    <>
      <ChooseDialog opened={isChoosing} onClose={() => setChoosing(false)} onChoose={choose} onClosed={onClosed} />
      {uploads.length > 0 && <UploadPanel heading={heading} isCollapsed={isCollapsed} onCollapse={setCollapsed} />}
    </>
  );
}
