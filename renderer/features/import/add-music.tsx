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
  /** After a choice of files the focus is at their list, otherwise it goes back to what opened the dialog. */
  const onClosed = () => heading.current?.focus();
  return (
    <>
      <ChooseDialog opened={isChoosing} onClose={() => setChoosing(false)} onChoose={choose} onClosed={onClosed} />
      {uploads.length > 0 && <UploadPanel heading={heading} isCollapsed={isCollapsed} onCollapse={setCollapsed} />}
    </>
  );
}
