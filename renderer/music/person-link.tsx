import { Link } from '@tanstack/react-router';

/** The name of a person, linked to the page of the artist or else to the page of the person's credits. */
export const PersonLink = ({ person }: { person: { person_id: number; artist_id: number | null; name: string } }) =>
  person.artist_id === null ? (
    <Link to="/people/$personId" params={{ personId: person.person_id }}>
      {person.name}
    </Link>
  ) : (
    <Link to="/artists/$artistId" params={{ artistId: person.artist_id }}>
      {person.name}
    </Link>
  );
