import { Notifications } from '@mantine/notifications';

export const Notices = () => <Notifications position="bottom-center" limit={4} containerWidth={400} />;
